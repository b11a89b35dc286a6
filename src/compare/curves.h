/*
 * Two builds as schedules of memory curves: how much of the change of the build's peak is growth, how much is overlap.
 *
 * - growth: the peak of the new curves on the base's schedule, minus the base's peak;
 * - overlap: the peak of the base's curves on the new schedule, minus the base's peak;
 * - rest: what both leave of the whole change.
 *
 * A curve on the schedule of the other build begins when its process does there, and is stretched to its length there. A
 * process that the other build does not have begins at the same share of the build's time, with its own length.
 */
#ifndef COMPARE_CURVES_H
#define COMPARE_CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A limit of changes that are kept: 24 bytes each. A stage 2 of rustc has some 4 million. */
#define CURVES_MAX ((size_t)16 << 20)

/* Memory is committed (above 0) or ends. */
struct curve_change {
	int64_t time_ns, bytes;
	uint32_t process;
};

/* The memory curves of a build, as changes in no order. Zero: empty. */
struct curves {
	struct curve_change *v;
	size_t nr, alloc;
	bool too_many; /* there were more than CURVES_MAX: they are of no use */
};

void curves_release(struct curves *curves);

/* Add memory that a process held from a time up to another one. */
void curves_add(struct curves *curves, uint32_t process, int64_t start_ns, int64_t end_ns,
		int64_t bytes);

/* When a process ran, and its key (compare/unit.h). */
struct curve_span {
	int64_t start_ns, end_ns;
	uint32_t key;
};

struct curve_build {
	const struct curves *curves;
	const struct curve_span *spans; /* by process; no two have the same key */
	size_t spans_nr;
	int64_t end_ns; /* of the build, which began at 0 */
};

struct peak_split {
	int64_t base, new; /* peaks */
	int64_t growth, overlap, rest;
};

/* Split the change of the peak. False: one of the builds has too many changes. */
bool curves_split(const struct curve_build *base, const struct curve_build *changed,
		  struct peak_split *split);

#endif
