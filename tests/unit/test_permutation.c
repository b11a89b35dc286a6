#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/permutation.h"
#include "util/alloc.h"

static const double pi = 3.14159265358979323846;

static double uniform(uint64_t *state)
{
	return ((double)(permutation_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * pi * uniform(state));
}

/* A simulated comparison: the first value of `values_nr` has a shift on the new side. */
struct simulation {
	size_t values_nr, a_side;
	double noise, shift;
	bool bimodal; /* three values in ten are 4 % higher */
	bool common;  /* half of the noise is common to a run */
	bool known;   /* the noise of each value is; else that of the median one is expected */
	uint64_t seed;
};

struct outcome {
	int alarms; /* comparisons in which a value without a shift was found */
	int found;  /* the one with the shift */
};

static void fill(const struct simulation *simulation, uint64_t *state, double *values,
		 double *expected)
{
	size_t runs = 2 * simulation->a_side;
	double common[64];

	for (size_t run = 0; run < runs; run++)
		common[run] = simulation->common ? simulation->noise * normal(state) : 0;
	for (size_t i = 0; i < simulation->values_nr; i++) {
		/* Up to twice or half the noise, as keys differ. */
		double noise = simulation->noise * (i ? pow(2, 2 * uniform(state) - 1) : 1);

		expected[i] = simulation->known ? noise : simulation->noise;

		for (size_t run = 0; run < runs; run++) {
			double *value = &values[i * runs + run];

			*value = 10 + common[run] + noise * normal(state);
			if (simulation->bimodal && uniform(state) < 0.3)
				*value += log(1.04);
			if (!i && run >= simulation->a_side)
				*value += simulation->shift;
		}
	}
}

static struct outcome simulate(const struct simulation *simulation, int comparisons, double level)
{
	size_t runs = 2 * simulation->a_side, nr = simulation->values_nr;
	double *values = xcalloc(nr * runs, sizeof(*values)), *noise = xcalloc(nr, sizeof(*noise));
	double *p = xcalloc(nr, sizeof(*p));
	struct outcome outcome = { 0, 0 };
	uint64_t state = simulation->seed;

	for (int k = 0; k < comparisons; k++) {
		const struct permutation permutation = {
			{ simulation->a_side, simulation->a_side }, nr, values, noise
		};
		bool alarm = false;

		fill(simulation, &state, values, noise);
		permutation_test(&permutation, p);
		for (size_t i = simulation->shift != 0; i < nr; i++)
			alarm = alarm || p[i] <= level;
		outcome.alarms += alarm;
		outcome.found += simulation->shift != 0 && p[0] <= level;
	}
	free(values);
	free(noise);
	free(p);
	return outcome;
}

/*
 * At a level of 5 % some 5 of 100 comparisons have an alarm; more than 11 have one in less than 1 % of such tests, and
 * these numbers are the same each time.
 */
static void permutation_test__equal_sides__alarm_as_rarely_as_the_level_says(void **state)
{
	const struct simulation plain = { 200, 5, 0.01, 0, false, false, false, 1 };
	const struct simulation bimodal = { 200, 5, 0.01, 0, true, false, false, 2 };
	const struct simulation common = { 200, 5, 0.01, 0, false, true, false, 3 };

	(void)state;
	assert_in_range(simulate(&plain, 100, 0.05).alarms, 1, 11);
	assert_in_range(simulate(&bimodal, 100, 0.05).alarms, 0, 11);
	assert_in_range(simulate(&common, 100, 0.05).alarms, 0, 11);
}

static void permutation_test__five_percent_at_one_percent_noise__is_found(void **state)
{
	/* As verdicts.c does: the noise of all values is expected to be that of the median one, and rows have 4 %. */
	const struct simulation five = { 200, 5, 0.01, 0.04879, false, false, false, 4 };
	const struct simulation ten = { 200, 5, 0.01, 0.09531, false, false, false, 5 };
	const struct simulation six = { 200, 6, 0.01, 0.04879, false, false, false, 4 };
	const struct simulation known = { 200, 5, 0.01, 0.04879, false, false, true, 4 };

	(void)state;
	assert_in_range(simulate(&five, 200, 0.04).found, 192, 200);
	assert_in_range(simulate(&ten, 50, 0.04).found, 50, 50);
	assert_in_range(simulate(&six, 50, 0.04).found, 50, 50);
	assert_in_range(simulate(&known, 200, 0.04).found, 199, 200);
}

/* With eight runs a side only a part of the splits is tried. */
static void permutation_test__many_runs__takes_some_of_the_splits(void **state)
{
	const struct simulation same = { 50, 8, 0.01, 0, false, false, false, 6 };
	const struct simulation three = { 50, 8, 0.01, 0.0296, false, false, false, 7 };

	(void)state;
	assert_in_range(simulate(&same, 40, 0.05).alarms, 0, 6);
	assert_in_range(simulate(&three, 20, 0.05).found, 16, 20);
}

static void permutation_test__one_value__has_the_exact_p(void **state)
{
	/* Of the 20 splits two differ as much. */
	const double apart[] = { 1, 1.1, 1.2, 2, 2.1, 2.2 }, noise[] = { 0.1 };
	const double equal[] = { 1, 1, 1, 1, 1, 1 };
	const double unequal[] = { 1, 1.1, 5 };
	struct permutation permutation = { { 3, 3 }, 1, apart, noise };
	double p;

	(void)state;
	permutation_test(&permutation, &p);
	assert_true(fabs(p - 0.1) < 1e-12);
	permutation.values = equal;
	permutation_test(&permutation, &p);
	assert_true(p == 1);
	permutation = (struct permutation){ { 2, 1 }, 1, unequal, noise };
	permutation_test(&permutation, &p);
	assert_true(fabs(p - 1.0 / 3) < 1e-12);
}

static void permutation_test__same_numbers__give_the_same_p(void **state)
{
	const struct simulation simulation = { 20, 9, 0.02, 0.03, false, false, false, 8 };
	struct outcome one = simulate(&simulation, 10, 0.05),
		       other = simulate(&simulation, 10, 0.05);

	(void)state;
	assert_int_equal(one.found, other.found);
	assert_int_equal(one.alarms, other.alarms);
}

static void permutation_least__is_that_of_all_splits(void **state)
{
	(void)state;
	assert_true(fabs(permutation_least(3, 3) - 0.1) < 1e-12);
	assert_true(fabs(permutation_least(4, 4) - 2.0 / 70) < 1e-12);
	assert_true(fabs(permutation_least(5, 5) - 2.0 / 252) < 1e-12);
	assert_true(fabs(permutation_least(6, 6) - 2.0 / 924) < 1e-12);
	assert_true(permutation_least(12, 12) <= 0.001);
	assert_true(fabs(permutation_least(1, 1) - 1) < 1e-12);
}

/* The ends of the interval are those of the table of Mann and Whitney: the k-th smallest and largest difference. */
static void permutation_shift__interval__is_of_known_ranks(void **state)
{
	static const size_t ranks[] = {
		[3] = 1, [4] = 2, [5] = 5, [6] = 8, [7] = 12, [8] = 16, [9] = 22, [10] = 28
	};
	double base[10], new[10];
	struct shift shift;

	(void)state;
	for (size_t n = 3; n <= 10; n++) {
		/* All differences are different, and their order is known: 0, 1, 2, ... */
		for (size_t i = 0; i < n; i++) {
			base[i] = -(double)i;
			new[i] = (double)(n * i);
		}
		assert_true(permutation_shift(base, n, new, n, &shift));
		assert_int_equal((size_t)(shift.from + 0.5), ranks[n] - 1);
		assert_int_equal((size_t)(shift.to + 0.5), n * n - ranks[n]);
		assert_true(fabs(shift.shift - (double)(n * n - 1) / 2) < 1e-9);
	}
	assert_false(permutation_shift(base, 2, new, 2, &shift));
	assert_true(fabs(shift.shift - 5.5) < 1e-9);
}

/*
 * Of six runs a side one pair may be the other way round; what has two levels on one side is not apart from the lower one.
 */
static void permutation_shift__two_levels_in_one_side__are_not_apart(void **state)
{
	static const double low[] = { 1, 1.01, 1.02, 1.03, 1.04, 1.05 };
	static const double high[] = { 2, 2.01, 2.02, 2.03, 2.04, 2.05 };
	static const double mixed[] = { 2, 2.01, 2.02, 2.03, 1.005, 1.015 };
	static const double nearly[] = { 2, 2.01, 2.02, 2.03, 2.04, 1.045 };
	static const double often[] = { 2, 2.01, 2.02, 2.03, 2.04, 1.035 };
	struct shift shift;

	(void)state;
	permutation_shift(low, 6, high, 6, &shift);
	assert_true(shift.apart);
	permutation_shift(high, 6, low, 6, &shift);
	assert_true(shift.apart);
	permutation_shift(low, 6, mixed, 6, &shift);
	assert_false(shift.apart);
	permutation_shift(low, 6, nearly, 6, &shift);
	assert_true(shift.apart);
	permutation_shift(low, 6, often, 6, &shift);
	assert_false(shift.apart);
	permutation_shift(low, 6, low, 6, &shift);
	assert_false(shift.apart);
	/* Of fewer runs none may be. */
	permutation_shift(low, 3, high, 3, &shift);
	assert_true(shift.apart);
	permutation_shift(low, 5, nearly + 1, 5, &shift);
	assert_true(shift.apart);
	permutation_shift(low, 5, often + 1, 5, &shift);
	assert_false(shift.apart);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permutation_test__equal_sides__alarm_as_rarely_as_the_level_says),
		cmocka_unit_test(permutation_test__five_percent_at_one_percent_noise__is_found),
		cmocka_unit_test(permutation_test__many_runs__takes_some_of_the_splits),
		cmocka_unit_test(permutation_test__one_value__has_the_exact_p),
		cmocka_unit_test(permutation_test__same_numbers__give_the_same_p),
		cmocka_unit_test(permutation_least__is_that_of_all_splits),
		cmocka_unit_test(permutation_shift__interval__is_of_known_ranks),
		cmocka_unit_test(permutation_shift__two_levels_in_one_side__are_not_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
