#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/permutation.h"
#include "compare/verdicts.h"

#define U  MEASURE_UNKNOWN
#define MB (INT64_C(1) << 20)
#define S  INT64_C(1000000000)

static const struct compare_effect effect = COMPARE_EFFECT;

/* A value with up to 1 % of noise. */
static int64_t noisy(uint64_t *state, int64_t value)
{
	return value + value / 100000 * (int64_t)(permutation_random(state) % 2001) - value / 100;
}

static void add(struct comparison *comparison, size_t run, const char *crate,
		const struct measures *values)
{
	comparison_add(comparison, run, comparison_key(comparison, &crate), values);
}

/*
 * Runs of 20 crates whose peak is exact, and whose CPU time varies. "grown" grows by 5 % in memory and 10 % in time, the
 * others by nothing; from the side of the base to the new one all times get longer by `drift` percent.
 */
static void make(struct comparison *comparison, size_t a_side, int64_t drift)
{
	uint64_t state = 11;

	comparison_init(comparison, 1);
	for (size_t i = 0; i < 2 * a_side; i++) {
		bool new = i >= a_side;
		size_t run = comparison_add_run(comparison, new ? SIDE_NEW : SIDE_BASE);

		for (int crate = 0; crate < 20; crate++) {
			int64_t cpu = noisy(&state, (20 + crate) * S);
			struct measures values = { { 100 * MB, 7, 200 * MB, cpu, U } };
			char name[16];

			snprintf(name, sizeof(name), crate ? "crate%d" : "grown", crate);
			if (new)
				values.v[MEASURE_CPU] += values.v[MEASURE_CPU] / 100 * drift;
			if (new && !crate) {
				values.v[MEASURE_OWN_PEAK] = 105 * MB;
				values.v[MEASURE_CPU] += values.v[MEASURE_CPU] / 10;
			}
			add(comparison, run, name, &values);
		}
	}
}

static void test(struct verdicts *verdicts, const struct comparison *comparison,
		 const struct compare_effect *least, bool drift)
{
	const struct verdict_family family = { .effect = least, .level = 0.04, .drift = drift };

	verdicts_release(verdicts);
	verdicts_make(verdicts, comparison, &family);
}

static struct verdict_of get(const struct verdicts *verdicts, uint32_t key, enum measure measure)
{
	return verdicts->v[(size_t)key * MEASURES + measure];
}

static size_t count(const struct verdicts *verdicts, enum verdict verdict, enum measure measure)
{
	size_t nr = 0;

	for (uint32_t key = 0; key < 20; key++)
		nr += get(verdicts, key, measure).verdict == verdict;
	return nr;
}

static void verdicts_make__grown_crate__is_found_alone(void **state)
{
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;

	(void)state;
	make(&comparison, 5, 0);
	test(&verdicts, &comparison, &effect, true);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).verdict, VERDICT_GREW);
	assert_true(get(&verdicts, 0, MEASURE_CPU).p <= 0.04);
	assert_int_equal(count(&verdicts, VERDICT_GREW, MEASURE_CPU), 1);
	assert_int_equal(count(&verdicts, VERDICT_SHRANK, MEASURE_CPU), 0);
	/* Counts that never vary need no test. */
	assert_int_equal(get(&verdicts, 0, MEASURE_OWN_PEAK).verdict, VERDICT_GREW);
	assert_true(get(&verdicts, 0, MEASURE_OWN_PEAK).p < 0);
	assert_int_equal(count(&verdicts, VERDICT_SAME, MEASURE_OWN_PEAK), 19);
	assert_int_equal(count(&verdicts, VERDICT_SAME, MEASURE_SIZE), 20);
	assert_int_equal(count(&verdicts, VERDICT_NONE, MEASURE_AT_PEAK), 20);
	assert_int_equal(count(&verdicts, VERDICT_NONE, MEASURE_WALL), 20);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

/* A machine that became slower slows all crates: that is none of their changes. */
static void verdicts_make__drift__is_subtracted(void **state)
{
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;

	(void)state;
	make(&comparison, 5, 3);
	test(&verdicts, &comparison, &effect, true);
	assert_int_equal(count(&verdicts, VERDICT_GREW, MEASURE_CPU), 1);
	assert_int_equal(count(&verdicts, VERDICT_SHRANK, MEASURE_CPU), 0);
	verdicts_release(&verdicts);
	test(&verdicts, &comparison, &effect, false);
	assert_true(count(&verdicts, VERDICT_GREW, MEASURE_CPU) > 10);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

/*
 * A thread more in four runs of the base and in none of the new ones: of all splits so few have it that alarms would be
 * raised, but the base has the lower level too.
 */
static void verdicts_make__two_levels_in_one_side__cannot_tell(void **state)
{
	static const int64_t base[] = { 80, 80, 80, 80, 78, 78 };
	const struct verdict_family family = { .effect = &effect, .level = 0.07 };
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;
	struct verdict_of of;

	(void)state;
	comparison_init(&comparison, 1);
	for (size_t i = 0; i < 12; i++) {
		struct measures values = { { (i < 6 ? base[i] : 78) * MB + (int64_t)(i % 4) * 4096,
					     U, U, U, U } };

		add(&comparison, comparison_add_run(&comparison, i < 6 ? SIDE_BASE : SIDE_NEW),
		    "cc", &values);
	}
	verdicts_make(&verdicts, &comparison, &family);
	of = get(&verdicts, 0, MEASURE_OWN_PEAK);
	assert_true(of.p <= family.level);
	assert_int_equal(of.verdict, VERDICT_UNCERTAIN);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

/* Where the machine may have been another one for each side, times that vary are not judged; others, and memory, are. */
static void verdicts_make__no_times__cannot_tell_those_that_vary(void **state)
{
	const struct verdict_family family = {
		.effect = &effect, .level = 0.04, .drift = true, .no_times = true
	};
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;

	(void)state;
	make(&comparison, 5, 0);
	verdicts_make(&verdicts, &comparison, &family);
	assert_int_equal(count(&verdicts, VERDICT_UNCERTAIN, MEASURE_CPU), 20);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).runs, 0);
	assert_int_equal(get(&verdicts, 0, MEASURE_OWN_PEAK).verdict, VERDICT_GREW);
	assert_int_equal(count(&verdicts, VERDICT_SAME, MEASURE_SIZE), 20);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

static void verdicts_make__few_runs__cannot_tell_and_says_how_many_would(void **state)
{
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;
	struct verdict_of of;

	(void)state;
	make(&comparison, 3, 0);
	test(&verdicts, &comparison, &effect, true);
	of = get(&verdicts, 0, MEASURE_CPU);
	assert_int_equal(of.verdict, VERDICT_UNCERTAIN);
	assert_in_range(of.runs, 5, 100);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
	make(&comparison, 2, 0);
	test(&verdicts, &comparison, &effect, true);
	assert_null(verdicts.v);
	comparison_release(&comparison);
}

/* In an interval below the smallest effect it is the same; twelve runs a side are enough for 1 % of noise and 3 %. */
/* What changed from side to side is no noise, though it is the only value that varies, as that of the whole build. */
static void verdicts_make__few_runs__count_no_change_as_noise(void **state)
{
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;
	uint64_t random = 5;

	(void)state;
	comparison_init(&comparison, 1);
	for (size_t i = 0; i < 6; i++) {
		bool new = i >= 3;
		size_t run = comparison_add_run(&comparison, new ? SIDE_NEW : SIDE_BASE);
		int64_t size =
			(new ? 613 : 573) * MB + (int64_t)(permutation_random(&random) % (MB / 2));
		struct measures values = { { 100 * MB, 7, size, U, U } };

		add(&comparison, run, "build", &values);
	}
	test(&verdicts, &comparison, &effect, false);
	assert_int_equal(get(&verdicts, 0, MEASURE_SIZE).verdict, VERDICT_UNCERTAIN);
	assert_int_equal(get(&verdicts, 0, MEASURE_SIZE).runs, 5);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

static void verdicts_make__many_runs__say_that_nothing_changed(void **state)
{
	const struct compare_effect wide = { 3, MB, S / 2 };
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;

	(void)state;
	make(&comparison, 12, 0);
	test(&verdicts, &comparison, &wide, true);
	assert_int_equal(count(&verdicts, VERDICT_SAME, MEASURE_CPU), 19);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).verdict, VERDICT_GREW);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

static void verdicts_make__key_that_a_run_lacks__is_not_tested(void **state)
{
	const struct measures values = { { 100 * MB, U, U, U, U } };
	const struct measures zero = { { 0, U, U, U, U } }, some = { { 3 * MB, U, U, U, U } };
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;

	(void)state;
	comparison_init(&comparison, 1);
	for (size_t i = 0; i < 6; i++) {
		size_t run = comparison_add_run(&comparison, i < 3 ? SIDE_BASE : SIDE_NEW);

		if (i != 1)
			add(&comparison, run, "sometimes", &values);
		add(&comparison, run, "zero", i % 2 ? &zero : &some);
	}
	test(&verdicts, &comparison, &effect, true);
	assert_int_equal(get(&verdicts, 0, MEASURE_OWN_PEAK).verdict, VERDICT_NONE);
	assert_int_equal(get(&verdicts, 1, MEASURE_OWN_PEAK).verdict, VERDICT_NONE);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

static void verdicts_make__families__have_their_own_keys(void **state)
{
	struct comparison comparison;
	struct verdicts larger = VERDICTS_INIT, verdicts = VERDICTS_INIT;
	bool wanted[20] = { true, true };
	const struct verdict_family inside = {
		.effect = &effect, .level = 0.05, .larger = &larger, .wanted = wanted
	};

	(void)state;
	/* Two keys are too few to say what a run has in common: the larger family says it. */
	make(&comparison, 5, 3);
	test(&larger, &comparison, &effect, true);
	assert_true(verdicts_changed(&larger, 0));
	assert_false(verdicts_changed(&larger, 1));
	verdicts_make(&verdicts, &comparison, &inside);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).verdict, VERDICT_GREW);
	assert_true(get(&verdicts, 1, MEASURE_CPU).verdict != VERDICT_NONE);
	assert_true(get(&verdicts, 1, MEASURE_CPU).verdict != VERDICT_GREW);
	assert_int_equal(count(&verdicts, VERDICT_NONE, MEASURE_CPU), 18);
	/* Another family is added to it. */
	wanted[0] = wanted[1] = false;
	wanted[2] = true;
	verdicts_make(&verdicts, &comparison, &inside);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).verdict, VERDICT_GREW);
	assert_int_equal(count(&verdicts, VERDICT_NONE, MEASURE_CPU), 17);
	verdicts_release(&verdicts);
	verdicts_release(&larger);
	comparison_release(&comparison);
}

/* The verdict on a value of 1,000 MB that changes by some percent, with an effect of 20 % and up to 0.2 % of noise. */
static enum verdict verdict_on_change(int64_t percent, bool varies)
{
	const struct compare_effect fifth = { 20, MB, S / 2 };
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;
	enum verdict verdict;

	comparison_init(&comparison, 1);
	for (size_t i = 0; i < 12; i++) {
		struct measures values = { { 1000 * MB, U, U, U, U } };

		if (i >= 6)
			values.v[MEASURE_OWN_PEAK] += 10 * MB * percent;
		if (varies)
			values.v[MEASURE_OWN_PEAK] += (int64_t)(i % 3) * MB;
		add(&comparison, comparison_add_run(&comparison, i < 6 ? SIDE_BASE : SIDE_NEW),
		    "core", &values);
	}
	test(&verdicts, &comparison, &fifth, false);
	verdict = get(&verdicts, 0, MEASURE_OWN_PEAK).verdict;
	verdicts_release(&verdicts);
	comparison_release(&comparison);
	return verdict;
}

/* A percentage is one of the base, of a fall too, whether the value varies or not. */
static void verdicts_make__falls__are_measured_in_percent_of_the_base(void **state)
{
	static const struct {
		int64_t percent;
		enum verdict verdict;
	} cases[] = {
		{ -22, VERDICT_SHRANK },
		{ -18, VERDICT_SAME },
		{ 18, VERDICT_SAME },
		{ 22, VERDICT_GREW },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(verdict_on_change(cases[i].percent, false), cases[i].verdict);
		assert_int_equal(verdict_on_change(cases[i].percent, true), cases[i].verdict);
	}
}

/* The noise of the only key: 1 %, of sizes unknown. `data` counts how often it is asked for. */
static const double *one_percent(void *data, uint32_t key)
{
	static const double noise[MEASURES] = { 0.01, 0.01, -1, 0.01, 0.01 };

	assert_int_equal(key, 0);
	(*(int *)data)++;
	return noise;
}

static const double *no_noise(void *data, uint32_t key)
{
	(void)data;
	(void)key;
	return NULL;
}

static void verdicts_by_noise__one_run_a_side__the_fence_decides(void **state)
{
	const struct measures base = { { 100 * MB, 100 * MB, 100 * MB, 100 * S, 100 * S } };
	const struct measures new = { { 94 * MB, 150 * MB, 150 * MB, 107 * S, 105 * S } };
	struct comparison comparison;
	struct verdicts verdicts = VERDICTS_INIT;
	int asked = 0;

	(void)state;
	comparison_init(&comparison, 1);
	add(&comparison, comparison_add_run(&comparison, SIDE_BASE), "core", &base);
	add(&comparison, comparison_add_run(&comparison, SIDE_NEW), "core", &new);
	/* What changed by nothing, and what one side has alone, is not asked for. */
	add(&comparison, 0, "alloc", &base);
	add(&comparison, 1, "alloc", &base);
	add(&comparison, 1, "std", &new);
	verdicts_by_noise(&verdicts, &comparison, &effect, no_noise, NULL);
	assert_null(verdicts.v);
	verdicts_by_noise(&verdicts, &comparison, &effect, one_percent, &asked);
	assert_int_equal(asked, 1);
	assert_int_equal(get(&verdicts, 0, MEASURE_OWN_PEAK).verdict, VERDICT_SHRANK);
	assert_int_equal(get(&verdicts, 0, MEASURE_CPU).verdict, VERDICT_GREW);
	/* Within 6 %: by the formula 2 (6 x 1 % / ln 1.01)^2 runs a side would do. */
	assert_int_equal(get(&verdicts, 0, MEASURE_WALL).verdict, VERDICT_UNCERTAIN);
	assert_int_equal(get(&verdicts, 0, MEASURE_WALL).runs, 73);
	assert_int_equal(get(&verdicts, 0, MEASURE_SIZE).verdict, VERDICT_NONE);
	assert_int_equal(get(&verdicts, 0, MEASURE_AT_PEAK).verdict, VERDICT_NONE);
	assert_int_equal(get(&verdicts, 1, MEASURE_CPU).verdict, VERDICT_NONE);
	assert_true(get(&verdicts, 0, MEASURE_CPU).p < 0);
	verdicts_release(&verdicts);
	comparison_release(&comparison);
}

/* Comparisons of 100 with an alarm, of sides without a change in which 20 values are one of two exact ones. */
static int count_two_levels(size_t a_side)
{
	uint64_t state = 5;
	int alarms = 0;

	for (int i = 0; i < 100; i++) {
		struct comparison comparison;
		struct verdicts verdicts = VERDICTS_INIT;
		bool changed = false;

		comparison_init(&comparison, 1);
		for (size_t k = 0; k < 2 * a_side; k++) {
			size_t run =
				comparison_add_run(&comparison, k < a_side ? SIDE_BASE : SIDE_NEW);

			for (int crate = 0; crate < 20; crate++) {
				bool upper = permutation_random(&state) & 1;
				struct measures values = { { (upper ? 42 : 40) * MB, U, U, U, U } };
				char name[16];

				snprintf(name, sizeof(name), "crate%d", crate);
				add(&comparison, run, name, &values);
			}
		}
		test(&verdicts, &comparison, &effect, false);
		for (uint32_t key = 0; key < 20; key++)
			changed = changed || verdicts_changed(&verdicts, key);
		alarms += changed;
		verdicts_release(&verdicts);
		comparison_release(&comparison);
	}
	return alarms;
}

/* With few runs they look like values that never vary (docs/compare.md). */
static void verdicts_make__exact_values_of_two_levels__need_five_runs(void **state)
{
	(void)state;
	assert_in_range(count_two_levels(3), 30, 70);
	assert_in_range(count_two_levels(5), 0, 8);
	assert_in_range(count_two_levels(6), 0, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_make__grown_crate__is_found_alone),
		cmocka_unit_test(verdicts_make__drift__is_subtracted),
		cmocka_unit_test(verdicts_make__families__have_their_own_keys),
		cmocka_unit_test(verdicts_make__two_levels_in_one_side__cannot_tell),
		cmocka_unit_test(verdicts_make__exact_values_of_two_levels__need_five_runs),
		cmocka_unit_test(verdicts_make__no_times__cannot_tell_those_that_vary),
		cmocka_unit_test(verdicts_make__few_runs__cannot_tell_and_says_how_many_would),
		cmocka_unit_test(verdicts_make__few_runs__count_no_change_as_noise),
		cmocka_unit_test(verdicts_make__many_runs__say_that_nothing_changed),
		cmocka_unit_test(verdicts_make__key_that_a_run_lacks__is_not_tested),
		cmocka_unit_test(verdicts_make__falls__are_measured_in_percent_of_the_base),
		cmocka_unit_test(verdicts_by_noise__one_run_a_side__the_fence_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
