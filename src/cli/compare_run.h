/*
 * Reads the runs that are compared: their values come from the accounts of the views (report/account.h), CPU times and
 * times on the clock of a run's processes from its tracker.
 */
#ifndef CLI_COMPARE_RUN_H
#define CLI_COMPARE_RUN_H

#include "cli/compare_take.h"
#include "compare/comparison.h"
#include "compare/curves.h"
#include "util/err.h"

/* What runs of a fair comparison have in common. */
enum compare_fact {
	FACT_HOST,
	FACT_KERNEL,
	FACT_CPU,
	FACT_CPUS,
	FACT_PROFILER,
	FACT_HEAP,
	FACT_CONFIG,
	COMPARE_FACTS
};

/* FACT_HEAP of a run with heaps that its memory values are without. */
#define COMPARE_HEAP_HIDDEN "not committed"

/* What was read of one run. */
struct compare_reading {
	char *facts[COMPARE_FACTS]; /* NULL: unknown */
	char *start_utc, *commit;   /* the same */
	char *cookie;               /* of the recording, in all its copies; the same */
	bool failed;                /* or it is not whole */
	bool idle;                  /* a build by cargo that compiled nothing */
	int64_t lost;               /* events, of trace and tracker */
	double foreign_percent;     /* of the CPU time that the machine had; below 0: unknown */

	struct curves curves; /* of all processes, if they were requested */
	struct curve_span *spans;
	size_t spans_nr;
	int64_t end_ns; /* of the recording */
};

struct compare_request {
	struct compare_spec *const *specs;
	size_t specs_nr;
	struct comparison *units; /* of UNIT_TEXTS: curves are requested; else NULL */
	const enum measure *only; /* by stacks: the only one that is needed; NULL: all */
	bool kept;                /* those that are not compared are needed too */
};

/* Read a run as one of a side, into the comparisons of all specs. Messages say which run they are about. */
int compare_run_read(const char *path, enum compare_side side,
		     const struct compare_request *request, struct compare_reading *reading,
		     struct err *err);

/* The curves of a run's processes, as curves_split() takes them. They are borrowed. */
struct curve_build compare_reading_curves(const struct compare_reading *reading);

void compare_reading_release(struct compare_reading *reading);

#endif
