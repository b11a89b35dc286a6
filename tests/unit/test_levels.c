#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/levels.h"
#include "compare/median.h"
#include "compare/permutation.h"

#define NIGHTS 200
#define LEVEL  1000000000.0

static double uniform(uint64_t *state)
{
	return ((double)(permutation_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

/* How a made-up series differs from a level: in standard deviations, but for the step, as a factor. */
struct kind {
	double noise, outliers, correlation, step;
	size_t step_at;
	double second; /* so often it is 8 % more, as of a build script with a thread more */
};

static void make(const struct kind *kind, uint64_t *state, int64_t *values, size_t nr)
{
	double last = 0;

	for (size_t i = 0; i < nr; i++) {
		double level = kind->step > 0 && i >= kind->step_at ? LEVEL * kind->step : LEVEL;

		last = kind->correlation * last +
		       sqrt(1 - kind->correlation * kind->correlation) * normal(state);
		values[i] = (int64_t)(level * exp(kind->noise * last));
		if (uniform(state) < kind->outliers)
			values[i] =
				(int64_t)((double)values[i] * (uniform(state) < 0.5 ? 0.9 : 1.1));
		if (kind->second > 0 && uniform(state) < kind->second)
			values[i] = (int64_t)((double)values[i] * 1.08);
	}
}

static bool has_alarm(const int64_t *values, size_t nr)
{
	struct levels levels;
	bool found = false;

	levels_find(values, nr, &levels);
	for (size_t i = 1; i < levels.nr; i++)
		found = found || levels.v[i].strength >= LEVEL_ALARM;
	levels_release(&levels);
	return found;
}

/* In how many of the series a look each night, from the 30th on, has an alarm on any night. */
static int alarms(const struct kind *kind, int series)
{
	int64_t values[NIGHTS];
	uint64_t state = 5;
	int alarmed = 0;

	for (int i = 0; i < series; i++) {
		bool found = false;

		make(kind, &state, values, NIGHTS);
		for (size_t nr = 30; nr <= NIGHTS && !found; nr++)
			found = has_alarm(values, nr);
		alarmed += found;
	}
	return alarmed;
}

static void levels__a_look_each_night__few_false_alarms(void **state)
{
	(void)state;
	static const struct {
		struct kind kind;
		int most; /* of 100 series in 171 looks each */
	} rows[] = {
		{ { .noise = 0.01 }, 5 },
		{ { .noise = 0.03 }, 5 },
		{ { .noise = 0.01, .outliers = 0.02 }, 5 },
		{ { .noise = 0.01, .correlation = 0.3 }, 12 },
		{ { .noise = 0.0002, .second = 0.15 }, 5 },
		{ { .noise = 0.0002, .second = 0.3 }, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int found = alarms(&rows[i].kind, 100);

		print_message("series with a false alarm on any night: %d of 100\n", found);
		assert_true(found <= rows[i].most);
	}
}

/* After how many nights a step is found, in half of 100 series, and how far from its place at most. */
static size_t nights_to_find(const struct kind *kind)
{
	int64_t values[NIGHTS];
	uint64_t state = 9;
	double nights[100];

	for (size_t i = 0; i < 100; i++) {
		size_t nr = kind->step_at + 1;

		make(kind, &state, values, NIGHTS);
		while (nr < NIGHTS && !has_alarm(values, nr))
			nr++;
		nights[i] = (double)(nr - kind->step_at);
	}
	return (size_t)median_of(nights, 100);
}

static void levels__a_step__found_in_few_nights(void **state)
{
	(void)state;
	static const struct {
		struct kind kind;
		size_t most; /* nights */
	} rows[] = {
		{ { .noise = 0.01, .outliers = 0.02, .step = 1.05, .step_at = 100 }, 4 },
		{ { .noise = 0.01, .outliers = 0.02, .step = 1.03, .step_at = 100 }, 6 },
		{ { .noise = 0.02, .outliers = 0.02, .step = 0.95, .step_at = 100 }, 10 },
		{ { .noise = 0.0002, .second = 0.15, .step = 1.1, .step_at = 100 }, 12 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t nights = nights_to_find(&rows[i].kind);

		print_message("median of the nights until the step is an alarm: %u\n",
			      (unsigned)nights);
		assert_true(nights <= rows[i].most);
	}
}

static void levels__step__its_place_and_both_levels(void **state)
{
	const struct kind kind = { .noise = 0.005, .step = 1.05, .step_at = 37 };
	int64_t values[60];
	uint64_t random = 3;
	struct levels levels;

	(void)state;
	make(&kind, &random, values, 60);
	assert_true(levels_find(values, 60, &levels));
	assert_int_equal(levels.nr, 2);
	assert_true(levels.v[1].start >= 36 && levels.v[1].start <= 38);
	assert_int_equal(levels.v[0].nr + levels.v[1].nr, 60);
	assert_true(fabs((double)levels.v[0].value / LEVEL - 1) < 0.005);
	assert_true(fabs((double)levels.v[1].value / LEVEL - 1.05) < 0.005);
	assert_true(fabs(levels.noise / 0.005 - 1) < 0.35);
	assert_int_equal(levels.shape, LEVELS_STEADY);
	levels_release(&levels);
}

static void levels__exact_count__any_lasting_difference(void **state)
{
	int64_t values[30];
	struct levels levels;

	(void)state;
	for (size_t i = 0; i < 30; i++)
		values[i] = i < 20 ? 1000000 : 1010000;
	values[7] = 3000000;
	assert_true(levels_find(values, 30, &levels));
	assert_int_equal(levels.nr, 2);
	assert_int_equal(levels.v[1].start, 20);
	assert_true(levels.v[1].strength > LEVEL_ALARM);
	levels_release(&levels);

	assert_true(levels_find(values, 22, &levels));
	assert_int_equal(levels.nr, 1); /* two values more may still be outliers */
	levels_release(&levels);
}

static void levels__drift__is_said_to_be_one(void **state)
{
	int64_t values[100];
	uint64_t random = 8;
	struct levels levels;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		values[i] =
			(int64_t)(LEVEL * (1 + 0.001 * (double)i) * exp(0.005 * normal(&random)));
	assert_true(levels_find(values, 100, &levels));
	assert_int_equal(levels.shape, LEVELS_DRIFT);
	assert_int_equal(levels.nr, 1);
	assert_true(fabs(levels.drift - 0.099) < 0.01);
	levels_release(&levels);
}

static void levels__two_kinds__are_said_to_be(void **state)
{
	int64_t values[60];
	uint64_t random = 8;
	struct levels levels;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		values[i] = (int64_t)(LEVEL * (uniform(&random) < 0.4 ? 1.1 : 1) *
				      exp(0.004 * normal(&random)));
	assert_true(levels_find(values, 60, &levels));
	assert_int_equal(levels.shape, LEVELS_BIMODAL);
	assert_true(fabs((double)levels.modes[0] / LEVEL - 1) < 0.005);
	assert_true(fabs((double)levels.modes[1] / LEVEL - 1.1) < 0.005);
	levels_release(&levels);
}

/* Series of one kind are not said to be of two, nor to drift. */
static void levels__noise__has_no_shape(void **state)
{
	const struct kind kind = { .noise = 0.01 };
	int64_t values[60];
	uint64_t random = 21;
	int shaped = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct levels levels;

		make(&kind, &random, values, 60);
		levels_find(values, 60, &levels);
		shaped += levels.shape != LEVELS_STEADY;
		levels_release(&levels);
	}
	assert_true(shaped <= 5);
}

static void levels__few_or_odd_values__no_harm(void **state)
{
	const int64_t odd[] = { 0, INT64_MIN, INT64_MAX, -5, 0, INT64_MAX, INT64_MAX, 1 };
	struct levels levels;

	(void)state;
	assert_false(levels_find(odd, 0, &levels));
	levels_release(&levels);
	assert_false(levels_find(odd, 5, &levels));
	levels_release(&levels);
	assert_true(levels_find(odd, 8, &levels));
	assert_true(levels.nr >= 1);
	levels_release(&levels);
	assert_true(series_noise(odd, 0) < 0);
	assert_true(series_noise(odd, 2) < 0);
}

static void series_noise__steps_and_outliers__do_not_matter(void **state)
{
	const struct kind kind = { .noise = 0.02, .outliers = 0.05, .step = 1.5, .step_at = 100 };
	int64_t values[NIGHTS];
	uint64_t random = 2;

	(void)state;
	make(&kind, &random, values, NIGHTS);
	assert_true(fabs(series_noise(values, NIGHTS) / 0.02 - 1) < 0.25);
}

/* A thread more in two runs of 40 is an excursion; a level that stays, and one value of 100, are none. */
static void series_excursion__what_comes_back__counts(void **state)
{
	int64_t values[120];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = i == 7 || i == 30 ? 120 : 100;
	assert_true(fabs(series_excursion(values, 40) - log(1.2)) < 1e-9);
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? 100 : 120;
	assert_true(series_excursion(values, 40) == 0);
	for (size_t i = 0; i < 120; i++)
		values[i] = i == 50 ? 200 : 100;
	assert_true(series_excursion(values, 120) == 0);
	values[70] = 80;
	assert_true(fabs(series_excursion(values, 120) - log(1.25)) < 1e-9);
	for (size_t i = 0; i < 8; i++)
		assert_true(series_excursion(values + 48, i) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels__a_look_each_night__few_false_alarms),
		cmocka_unit_test(levels__a_step__found_in_few_nights),
		cmocka_unit_test(levels__step__its_place_and_both_levels),
		cmocka_unit_test(levels__exact_count__any_lasting_difference),
		cmocka_unit_test(levels__drift__is_said_to_be_one),
		cmocka_unit_test(levels__two_kinds__are_said_to_be),
		cmocka_unit_test(levels__noise__has_no_shape),
		cmocka_unit_test(levels__few_or_odd_values__no_harm),
		cmocka_unit_test(series_noise__steps_and_outliers__do_not_matter),
		cmocka_unit_test(series_excursion__what_comes_back__counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
