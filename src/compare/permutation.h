/*
 * The max-T permutation test of Westfall and Young: which of many values differ between two sides of runs, so that in a
 * whole comparison of equal sides a false alarm is as rare as the level says, however many values there are and however
 * they depend on each other.
 *
 * The runs are split into two sides in all ways, or if there are too many in PERMUTATION_SPLITS ways, which are always
 * the same ones for the same numbers of runs. A value's adjusted p is the share of the splits in which any value differs
 * as much as it does.
 */
#ifndef COMPARE_PERMUTATION_H
#define COMPARE_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERMUTATION_SPLITS 1000
#define PERMUTATION_SEED   UINT64_C(0x5374616765547263)

/* The weight of the noise that is known beforehand, in runs. */
#define PERMUTATION_PRIOR 10

struct permutation {
	size_t sides[2]; /* number of runs of each side, 1 or more; those of the first come first */
	size_t values_nr;
	const double *values; /* by value, then by run; logarithms */
	const double *noise;  /* by value: the standard deviation that it is expected to have */
};

/* Put the adjusted p of each value into `p`. */
void permutation_test(const struct permutation *permutation, double *p);

/* The smallest p that numbers of runs allow: more than the level says that nothing can be found. */
double permutation_least(size_t base, size_t new);

/*
 * The shift from one side to the other, the median of all differences (Hodges and Lehmann), and the ends of its 90 %
 * interval. False: there are too few runs for an interval; the shift is set.
 *
 * The sides are apart if 0 is outside of the 99 % interval, by ranks (Mann and Whitney), or of so few runs that there is
 * none outside of all differences. What has two levels in one side, and one of them in the other, is not.
 */
struct shift {
	double shift, from, to;
	bool apart;
};

bool permutation_shift(const double *base, size_t base_nr, const double *new, size_t new_nr,
		       struct shift *shift);

/* The next number of a sequence that begins with a seed (splitmix64). */
uint64_t permutation_random(uint64_t *state);

#endif
