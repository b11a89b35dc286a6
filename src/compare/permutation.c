#include "compare/permutation.h"

#include <math.h>
#include <stdlib.h>

#include "compare/median.h"
#include "util/alloc.h"

/* Values that differ by the order of additions alone are equal. */
#define TOLERANCE 1e-9

uint64_t permutation_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* In how many ways `nr` runs can be split so that one side has `side`; more than PERMUTATION_SPLITS: so many. */
static size_t count_splits(size_t nr, size_t side)
{
	double ways = 1;

	for (size_t i = 1; i <= side; i++)
		ways = ways * (double)(nr - side + i) / (double)i;
	return ways > PERMUTATION_SPLITS ? PERMUTATION_SPLITS + 1 : (size_t)(ways + 0.5);
}

double permutation_least(size_t base, size_t new)
{
	size_t ways = count_splits(base + new, base);

	/* Of sides of equal size the mirror image of a split differs as much. */
	return ways > PERMUTATION_SPLITS ? 1.0 / PERMUTATION_SPLITS
					 : (base == new ? 2.0 : 1.0) / (double)ways;
}

/* A value while it is tested: what does not depend on the split. */
struct tested {
	double squares; /* the sum of squares around the mean of all runs */
	double prior;   /* what the expected noise adds to it */
};

struct test {
	const struct permutation *input;
	size_t runs;
	double *centered; /* the values minus their mean over all runs */
	struct tested *v;
};

static void prepare(struct test *test, const struct permutation *input)
{
	size_t runs = input->sides[0] + input->sides[1];

	*test = (struct test){ .input = input, .runs = runs };
	test->centered = xcalloc(input->values_nr * runs, sizeof(double));
	test->v = xcalloc(input->values_nr, sizeof(*test->v));
	for (size_t i = 0; i < input->values_nr; i++) {
		const double *from = input->values + i * runs;
		double *to = test->centered + i * runs, mean = 0;

		for (size_t run = 0; run < runs; run++)
			mean += from[run] / (double)runs;
		for (size_t run = 0; run < runs; run++) {
			to[run] = from[run] - mean;
			test->v[i].squares += to[run] * to[run];
		}
		test->v[i].prior = PERMUTATION_PRIOR * input->noise[i] * input->noise[i];
	}
}

/* How much a value differs in a split, whose first side has the runs `first`. */
static double statistic(const struct test *test, size_t i, const size_t *first)
{
	const double *values = test->centered + i * test->runs;
	double n = (double)test->input->sides[0], m = (double)test->input->sides[1];
	double sum = 0, within, variance;

	for (size_t k = 0; k < test->input->sides[0]; k++)
		sum += values[first[k]];
	/* The values add up to 0: the other side's sum is -sum. */
	within = test->v[i].squares - sum * sum * (1 / n + 1 / m);
	if (within < 0)
		within = 0;
	variance = (within + test->v[i].prior) / (n + m - 2 + PERMUTATION_PRIOR);
	if (fabs(sum) <= TOLERANCE * sqrt(test->v[i].squares))
		return 0;
	return variance > 0 ? fabs(sum) * (1 / n + 1 / m) / sqrt(variance * (1 / n + 1 / m))
			    : HUGE_VAL;
}

/* The next of all splits, in the order of their numbers. False: it was the last one. */
static bool next_split(size_t *first, size_t side, size_t runs)
{
	size_t at = side;

	while (at > 0 && first[at - 1] == runs - side + at - 1)
		at--;
	if (!at)
		return false;
	first[at - 1]++;
	for (; at < side; at++)
		first[at] = first[at - 1] + 1;
	return true;
}

/* A split at random: the first elements of a shuffled list. */
static void random_split(uint64_t *state, size_t *order, size_t side, size_t runs)
{
	for (size_t i = 0; i < side; i++) {
		size_t other = i + (size_t)(permutation_random(state) % (runs - i));
		size_t swap = order[i];

		order[i] = order[other];
		order[other] = swap;
	}
}

/* Count a split for each value that no value exceeds in it. */
static void count_split(const struct test *test, const size_t *first, const double *observed,
			double *p)
{
	double most = 0;

	for (size_t i = 0; i < test->input->values_nr; i++) {
		double t = statistic(test, i, first);

		if (t > most)
			most = t;
	}
	for (size_t i = 0; i < test->input->values_nr; i++)
		p[i] += most >= observed[i] * (1 - TOLERANCE);
}

void permutation_test(const struct permutation *input, double *p)
{
	size_t runs = input->sides[0] + input->sides[1], splits = 0;
	size_t *order = xcalloc(runs, sizeof(*order));
	double *observed = xcalloc(input->values_nr, sizeof(*observed));
	bool all = count_splits(runs, input->sides[0]) <= PERMUTATION_SPLITS;
	uint64_t state = PERMUTATION_SEED;
	struct test test;

	prepare(&test, input);
	for (size_t run = 0; run < runs; run++)
		order[run] = run;
	for (size_t i = 0; i < input->values_nr; i++) {
		observed[i] = statistic(&test, i, order);
		p[i] = 0;
	}
	/* The first split is the one that was observed. */
	do {
		count_split(&test, order, observed, p);
		splits++;
		if (!all)
			random_split(&state, order, input->sides[0], runs);
	} while (all ? next_split(order, input->sides[0], runs) : splits < PERMUTATION_SPLITS);
	for (size_t i = 0; i < input->values_nr; i++)
		p[i] /= (double)splits;
	free(test.centered);
	free(test.v);
	free(observed);
	free(order);
}

/*
 * The number, from 1, of the smallest difference within an interval: Mann-Whitney's, by its normal limit. Below 1: there
 * are too few runs.
 */
static double first_within(size_t base_nr, size_t new_nr, double deviations)
{
	double n = (double)base_nr, m = (double)new_nr;

	return round(n * m / 2 - deviations * sqrt(n * m * (n + m + 1) / 12));
}

bool permutation_shift(const double *base, size_t base_nr, const double *new, size_t new_nr,
		       struct shift *shift)
{
	size_t nr = base_nr * new_nr, at = 0, outer;
	double *differences = xcalloc(nr + 1, sizeof(*differences));
	double rank = first_within(base_nr, new_nr, 1.645), rank_99;
	bool known = rank >= 1;

	for (size_t i = 0; i < new_nr; i++) {
		for (size_t k = 0; k < base_nr; k++)
			differences[at++] = new[i] - base[k];
	}
	*shift = (struct shift){ .shift = nr ? median_of(differences, nr) : 0 };
	if (known) {
		shift->from = differences[(size_t)rank - 1];
		shift->to = differences[nr - (size_t)rank];
	}
	rank_99 = first_within(base_nr, new_nr, 2.576);
	outer = rank_99 >= 1 ? (size_t)rank_99 - 1 : 0;
	shift->apart = nr && (differences[outer] > 0 || differences[nr - 1 - outer] < 0);
	free(differences);
	return known;
}
