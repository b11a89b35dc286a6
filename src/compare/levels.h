/*
 * The levels of a series, as the CPU time of a crate in the runs of a year: its noise, and where its level changed.
 *
 * All is made of logarithms: a change of 1 % is the same at any size. Changes are found by optimal partitioning (Jackson et
 * al. 2005, arXiv 1101.1438 without its pruning): of all ways to cut the series into levels the one with the least sum of
 * squares, in units of the noise, and a price for each cut. The price decides how often a series that never changed has a
 * cut, at one look or at one each night (docs/history.md has the figures of tests/unit/test_levels.c).
 */
#ifndef COMPARE_LEVELS_H
#define COMPARE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than the newest so many values are not looked at. */
#define LEVELS_VALUES_MAX 2000

/* A level has at least so many values: what comes back sooner was an outlier. */
#define LEVEL_LEAST 3

/* From so many values on the noise of a series is known well enough to be used for another comparison. */
#define SERIES_NOISE_VALUES 20

/*
 * The noise of a series in time order: the standard deviation from value to value, relative to the value (0.01 is 1 %),
 * as the median of the changes between neighbours has it: neither outliers nor changes of the level matter. Where large
 * changes are common, as of a value that now and then is another one, it is that of these. It is never below 0.0001. Below
 * 0: there are fewer than 3 values above 0.
 */
double series_noise(const int64_t *values, size_t nr);

/*
 * How far a value of a series in time order was now and then from its neighbourhood, both before and after it, in
 * logarithms: what comes back is no change of the level. Of 100 values the farthest one is left out. 0: none, or too few
 * values.
 */
double series_excursion(const int64_t *values, size_t nr);

/*
 * The median of at least one whole number; the values keep their order. It is exact up to 2^53, which are 8 PB or 104 days:
 * above that, as only a damaged data base has it, it is near the median. Between two values in the middle it is their mean.
 */
int64_t series_median_of(const int64_t *values, size_t nr);

/* A number as a whole one, as far as it fits. */
int64_t series_whole(double value);

struct level {
	size_t start, nr; /* of its values in the series */
	int64_t value;    /* their median */
	double strength;  /* of the change to it, in prices of a cut; of the first level 0 */
};

/* A change of this strength is an alarm; what is weaker is suspected. */
#define LEVEL_ALARM   25.0
#define LEVEL_SUSPECT 20.0

enum levels_shape {
	LEVELS_STEADY,  /* one level or several */
	LEVELS_DRIFT,   /* a straight line describes the series better than levels */
	LEVELS_BIMODAL, /* the values of the last level are of two kinds that alternate */
};

struct levels {
	struct level *v; /* at least one; of LEVELS_DRIFT one */
	size_t nr;
	double noise;
	enum levels_shape shape;
	double drift; /* from the first value to the last, relative to the first; of LEVELS_DRIFT */
	int64_t modes[2]; /* of LEVELS_BIMODAL: the medians of both kinds */
};

/*
 * Find the levels of values in time order; of those below 1 it is as if they were 1. False: there are fewer than twice
 * LEVEL_LEAST. Release the levels in any case.
 */
bool levels_find(const int64_t *values, size_t nr, struct levels *levels);
void levels_release(struct levels *levels);

#endif
