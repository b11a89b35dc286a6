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

/* By key and measure: v[key * MEASURES + measure]. NULL: there are too few runs. */
struct verdicts {
	struct verdict_of *v;
};

/*
 * Test all keys of a comparison as one family: in a comparison of equal sides there is an alarm in a share `level` of the
 * comparisons. With `drift` the time measures lose what all keys of a run have in common, as its machine's speed, if there
 * are enough keys.
 */
void verdicts_make(struct verdicts *verdicts, const struct comparison *comparison,
		   const struct compare_effect *effect, double level, bool drift);
void verdicts_release(struct verdicts *verdicts);

#endif
