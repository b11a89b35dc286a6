#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/permutation.h"
#include "compare/shape.h"

#define RUNS 12

static double uniform(uint64_t *state)
{
	return ((double)(permutation_random(state) >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

/* Of the normal distribution, by twelve uniform ones. */
static double normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return sum;
}

/* Six runs a side in turns, with noise of 1 %. */
static void make(struct shape_value v[RUNS], uint64_t *state)
{
	for (int i = 0; i < RUNS; i++)
		v[i] = (struct shape_value){ i % 2, 100 * i, 50 * exp(0.01 * normal(state)) };
}

static void shape__unchanged__is_said_in_one_of_a_hundred(void **state)
{
	uint64_t seed = 1;
	int drifts = 0, levels = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct shape_value v[RUNS];
		struct shape_levels found;
		double percent;

		make(v, &seed);
		drifts += shape_drifts(v, RUNS, &percent);
		levels += shape_has_levels(v, RUNS, &found);
	}
	assert_in_range(drifts, 1, 40);
	assert_in_range(levels, 0, 40);
}

static void shape__change_between_sides__is_neither(void **state)
{
	uint64_t seed = 2;
	int said = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct shape_value v[RUNS];
		struct shape_levels found;
		double percent;

		make(v, &seed);
		for (int j = 1; j < RUNS; j += 2)
			v[j].value *= 1.2;
		said += shape_drifts(v, RUNS, &percent) + shape_has_levels(v, RUNS, &found);
	}
	assert_in_range(said, 0, 15);
}

static void shape_drifts__machine_slows_down__says_by_how_much(void **state)
{
	uint64_t seed = 3;
	int found = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct shape_value v[RUNS];
		double percent = 0;

		make(v, &seed);
		for (int j = 0; j < RUNS; j++)
			v[j].value *= 1 + 0.10 * j / (RUNS - 1);
		if (!shape_drifts(v, RUNS, &percent))
			continue;
		found++;
		assert_true(percent > 4 && percent < 16);
	}
	assert_in_range(found, 95, 100);
}

static void shape_has_levels__some_runs_higher__counts_them(void **state)
{
	uint64_t seed = 4;
	int found = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct shape_value v[RUNS];
		struct shape_levels levels;

		make(v, &seed);
		for (int j = 0; j < RUNS; j++)
			v[j].value *= j < 5 ? 1.2 : 1;
		if (!shape_has_levels(v, RUNS, &levels))
			continue;
		found++;
		assert_int_equal(levels.lower, 7);
		assert_int_equal(levels.upper, 5);
		assert_true(levels.percent > 17 && levels.percent < 23);
	}
	assert_in_range(found, 95, 100);
}

/* Clocks may be set to anything: times that are farther apart than a number has room for. */
static void shape_drifts__times_at_the_ends__keep_their_order(void **state)
{
	struct shape_value v[RUNS];
	double percent = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++)
		v[i] = (struct shape_value){ i % 2, INT64_MAX / 11 * (2 * i - 11), pow(1.02, i) };
	assert_true(shape_drifts(v, RUNS, &percent));
	assert_true(percent > 24 && percent < 25);
}

static void shape__few_runs__says_nothing(void **state)
{
	const struct shape_value v[] = { { 0, 1, 1 }, { 1, 2, 9 }, { 0, 3, 2 },
					 { 1, 4, 8 }, { 0, 5, 3 }, { 1, 6, 7 } };
	struct shape_levels levels;
	double percent;

	(void)state;
	for (size_t nr = 0; nr <= 6; nr++) {
		assert_false(shape_drifts(v, nr, &percent));
		assert_false(shape_has_levels(v, nr, &levels));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shape__unchanged__is_said_in_one_of_a_hundred),
		cmocka_unit_test(shape__change_between_sides__is_neither),
		cmocka_unit_test(shape_drifts__machine_slows_down__says_by_how_much),
		cmocka_unit_test(shape_has_levels__some_runs_higher__counts_them),
		cmocka_unit_test(shape_drifts__times_at_the_ends__keep_their_order),
		cmocka_unit_test(shape__few_runs__says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
