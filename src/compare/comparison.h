/*
 * The values of runs, joined by keys: each key has its texts, as part and crate, and its values in each run of two sides.
 *
 * Keys are texts, never process ids, paths or addresses: what is the same in two builds has the same texts.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/measure.h"
#include "util/strset.h"

enum compare_side { SIDE_BASE, SIDE_NEW, SIDES };

/* Texts of a key at most: those of a process (compare/unit.h). */
#define COMPARE_TEXTS 7

struct compare_key {
	char *texts[COMPARE_TEXTS]; /* NULL: unknown, or beyond those of the comparison */
	/*
	 * One of its processes has threads that race, or may have: its memory is not the same in the next run. And whether
	 * it has several processes in a run, so that its own peak depends on who ran together. Both are set by who adds
	 * processes; of keys that are found by stacks they say nothing.
	 */
	bool varies, several;
};

struct compare_run {
	enum compare_side side;
	struct measures *values;   /* by key */
	bool *present;             /* the run has the key */
	size_t nr;                 /* of both */
	bool known[MEASURES_KEPT]; /* of some key the value is */
};

struct comparison {
	size_t texts_nr; /* of each key */
	struct strset names;
	struct compare_key *keys;
	size_t keys_nr, keys_alloc;
	struct compare_run *runs;
	size_t runs_nr, runs_alloc;
	bool peaks_add; /* own peaks are of one moment: comparison_add() adds them up */
};

void comparison_init(struct comparison *comparison, size_t texts_nr);
void comparison_release(struct comparison *comparison);

/* Add a run without values. Returns its number. */
size_t comparison_add_run(struct comparison *comparison, enum compare_side side);
size_t comparison_runs(const struct comparison *comparison, enum compare_side side);

/* The number of the key with these texts, added if it is new; NULL is a text of its own. */
uint32_t comparison_key(struct comparison *comparison, const char *const *texts);

/* The same of one that is there. HASH_INDEX_NONE: it is not. */
uint32_t comparison_find(const struct comparison *comparison, const char *const *texts);

/*
 * Add values to those of a key in a run. What is known is added up; but own peaks may be of different moments: unless
 * `peaks_add` says that they are not, the highest stays. A negative value, of an estimate, stays negative.
 */
void comparison_add(struct comparison *comparison, size_t run, uint32_t key,
		    const struct measures *values);

/*
 * Give the keys other texts: `rename` replaces those of a key, which it may borrow from its data. Keys that become equal
 * are added up, as comparison_add() does.
 */
void comparison_rename(struct comparison *comparison,
		       void (*rename)(void *data, const char **texts), void *data);

bool comparison_has(const struct comparison *comparison, size_t run, uint32_t key);

/* MEASURE_UNKNOWN: it is not known, or the run does not have the key. */
int64_t comparison_value(const struct comparison *comparison, size_t run, uint32_t key,
			 enum measure measure);

/*
 * The same as the median of a side has it, of which some run has the key: a run without the key had nothing of it, if it
 * knows the measure of others.
 */
int64_t comparison_counted(const struct comparison *comparison, size_t run, uint32_t key,
			   enum measure measure);

/* In how many runs of a side the key is. */
size_t comparison_present(const struct comparison *comparison, enum compare_side side,
			  uint32_t key);

/*
 * The known values of a key in the runs of a side, into `values`, which has room for all runs. Returns their number.
 */
size_t comparison_values(const struct comparison *comparison, enum compare_side side, uint32_t key,
			 enum measure measure, int64_t *values);

/*
 * The median of the values of a side that count; of an even number the mean of the middle two. MEASURE_UNKNOWN: there are
 * none, or no run of the side has the key.
 */
int64_t comparison_median(const struct comparison *comparison, enum compare_side side, uint32_t key,
			  enum measure measure);

/* The change of a measure from the base's median to that of the new side. */
struct compare_change {
	int64_t base, new; /* MEASURE_UNKNOWN */
	int64_t delta;     /* a side without the key counts as 0; MEASURE_UNKNOWN */
	bool relative;     /* both are known, the base is above 0, and the new one not below: */
	double percent;    /* of the base */
};

struct compare_change comparison_change(const struct comparison *comparison, uint32_t key,
					enum measure measure);

/* What changes are worth to be shown, and to be called a change: in percent of the base and in units, both at least. */
struct compare_effect {
	double percent;
	int64_t bytes, ns;
};

#define COMPARE_EFFECT \
	{ \
		1.0, INT64_C(1) << 20, INT64_C(500000000) \
	}

/* Whether a change reaches the effect; of a new or vanished key its units alone count. */
bool compare_effect_reached(const struct compare_effect *effect, enum measure measure,
			    const struct compare_change *change);

#endif
