/*
 * What is odd about the values of several runs, apart from a change between the sides: they drift with time, or have two
 * levels. Verdicts of such values are weaker than they look, and repeating the runs helps less than finding the reason.
 *
 * Values are compared within their side alone, so that a real change is neither.
 *
 * levels.h answers the same of the series of a year. It cuts that where its level changed, which a few runs, of two sides
 * in turns, cannot say; and its test for two kinds of values is for more of them: in the noise of eight it finds two
 * in 4 %.
 */
#ifndef COMPARE_SHAPE_H
#define COMPARE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of a run. */
struct shape_value {
	int side;      /* 0 or 1 */
	int64_t start; /* of the run; any unit */
	double value;  /* above 0 */
};

/*
 * Do the values rise or fall with the time of the run, by the test of Mann and Kendall at 1 %? `*percent` is the change
 * from the first run to the last, by the median of the slopes (Theil and Sen). False below four runs of a side.
 */
bool shape_drifts(const struct shape_value *values, size_t nr, double *percent);

/* Two levels, and how many runs are at each. */
struct shape_levels {
	double percent; /* by how much the upper one is higher */
	size_t lower, upper;
};

/*
 * Do the values have two levels, with a gap between them that is more than twice as wide as either? Each has a fifth of the
 * runs, and two at least.
 */
bool shape_has_levels(const struct shape_value *values, size_t nr, struct shape_levels *levels);

#endif
