/*
 * Which changes between several runs a side are real: grew, shrank, the same, or not distinguishable from noise.
 */
#ifndef COMPARE_VERDICTS_H
#define COMPARE_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/comparison.h"

/* The least number of runs of each side for verdicts. */
#define VERDICT_RUNS 3

enum verdict {
	VERDICT_NONE, /* it was not tested: at-peak, an unknown value, a key that some run does not have */
	VERDICT_GREW,
	VERDICT_SHRANK,
	VERDICT_SAME,
	VERDICT_UNCERTAIN,
};

/* The names of verdicts in the enum's order, the first NULL. */
extern const char *const verdict_names[];

struct verdict_of {
	enum verdict verdict;
	double p;     /* adjusted for all values of the family; below 0: there was no test */
	int64_t runs; /* of each side that are needed for a verdict; 0: not known, or not needed */
};

/*
 * By key and measure: v[key * MEASURES + measure]; NULL: nothing was tested, as there are too few runs, or no keys. And
 * what the keys of a run had in common: common[measure * runs + run], a logarithm; NULL: that was not subtracted.
 */
struct verdicts {
	struct verdict_of *v;
	double *common;
};

#define VERDICTS_INIT \
	{ \
		NULL, NULL \
	}

/*
 * In a whole comparison of equal sides there is an alarm in 5 % of all cases: of the build's own values in 1 %, of the rows
 * in the rest. Within a crate that changed there is one in 5 %: equal sides get there in the share of the rows at most.
 */
#define VERDICT_LEVEL_BUILD  0.01
#define VERDICT_LEVEL_ROWS   0.04
#define VERDICT_LEVEL_INSIDE 0.05

/* Keys that are tested together. */
struct verdict_family {
	const struct compare_effect *effect;
	double level; /* in a comparison of equal sides there is an alarm in this share of the comparisons */
	/*
	 * Time measures lose what all keys of a run have in common, as its machine's speed: what a larger family of the
	 * same runs had, or with `drift`, if there are enough keys, what these have.
	 */
	bool drift;
	/*
	 * Time measures that vary are VERDICT_UNCERTAIN: each side was recorded at a time of its own, and the machine may
	 * have been another one then.
	 */
	bool no_times;
	const struct verdicts *larger; /* may be NULL */
	const bool *wanted;            /* by key: it is of the family; NULL: all are */
};

/* Test a family of keys of a comparison. Verdicts of earlier families stay. */
void verdicts_make(struct verdicts *verdicts, const struct comparison *comparison,
		   const struct verdict_family *family);

/*
 * Of one run a side, where the noise of keys is known from earlier runs: what is more than VERDICT_FENCE times the noise
 * apart (in logarithms) grew or shrank. That is 4.2 standard deviations of a difference of two values: of 2,100 values
 * without a change one gets there in some 5 % of comparisons. Changes below the effect have no verdict.
 *
 * `noise_of` is asked for each key that has a change which reaches the effect: the noise by measure (compare/levels.h:
 * series_noise()), below 0 where it is not known; NULL: of none. Without any verdict `v` stays NULL.
 */
#define VERDICT_FENCE 6

typedef const double *verdict_noise_fn(void *data, uint32_t key);
void verdicts_by_noise(struct verdicts *verdicts, const struct comparison *comparison,
		       const struct compare_effect *effect, verdict_noise_fn *noise_of, void *data);
void verdicts_release(struct verdicts *verdicts);

/* Whether any measure of a key grew or shrank. */
bool verdicts_changed(const struct verdicts *verdicts, uint32_t key);

#endif
