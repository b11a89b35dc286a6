#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/comparison.h"
#include "compare/unit.h"
#include "util/alloc.h"

#define U MEASURE_UNKNOWN

static void add(struct comparison *comparison, size_t run, const char *crate, int64_t peak,
		int64_t size)
{
	const char *texts[] = { "part", crate };
	const struct measures values = { { peak, U, size, U, U } };

	comparison_add(comparison, run, comparison_key(comparison, texts), &values);
}

static uint32_t key(struct comparison *comparison, const char *crate)
{
	const char *texts[] = { "part", crate };

	return comparison_key(comparison, texts);
}

static void comparison_key__texts__tell_keys_apart(void **state)
{
	struct comparison comparison;
	const char *a[] = { "x", "y" }, *b[] = { "xy", "" }, *c[] = { "x", NULL };
	const char *d[] = { "1:y", "" }, *e[] = { NULL, "x" };

	(void)state;
	comparison_init(&comparison, 2);
	assert_int_equal(comparison_key(&comparison, a), 0);
	assert_int_equal(comparison_key(&comparison, b), 1);
	assert_int_equal(comparison_key(&comparison, c), 2);
	assert_int_equal(comparison_key(&comparison, d), 3);
	assert_int_equal(comparison_key(&comparison, e), 4);
	assert_int_equal(comparison_key(&comparison, a), 0);
	assert_null(comparison.keys[2].texts[1]);
	assert_string_equal(comparison.keys[1].texts[0], "xy");
	comparison_release(&comparison);
}

static void comparison_add__same_key__adds_up_but_for_own_peaks(void **state)
{
	struct comparison comparison;
	size_t run;

	(void)state;
	comparison_init(&comparison, 2);
	run = comparison_add_run(&comparison, SIDE_BASE);
	add(&comparison, run, "core", 100, 10);
	add(&comparison, run, "core", 70, 5);
	add(&comparison, run, "core", U, U);
	assert_int_equal(comparison_value(&comparison, run, 0, MEASURE_OWN_PEAK), 100);
	assert_int_equal(comparison_value(&comparison, run, 0, MEASURE_SIZE), 15);
	assert_true(comparison_value(&comparison, run, 0, MEASURE_CPU) == U);
	comparison_release(&comparison);
}

static void comparison_change__new_and_vanished_keys__count_from_0(void **state)
{
	struct comparison comparison;
	struct compare_change change;
	size_t base, new;

	(void)state;
	comparison_init(&comparison, 2);
	base = comparison_add_run(&comparison, SIDE_BASE);
	new = comparison_add_run(&comparison, SIDE_NEW);
	add(&comparison, base, "both", 200, 1);
	add(&comparison, new, "both", 250, U);
	add(&comparison, base, "gone", 80, 1);
	add(&comparison, new, "come", 90, 1);
	/* What an estimate leaves did not shrink by 125 %. */
	add(&comparison, base, "left", 80, 1);
	add(&comparison, new, "left", -20, 1);
	change = comparison_change(&comparison, key(&comparison, "left"), MEASURE_OWN_PEAK);
	assert_true(change.delta == -100 && !change.relative);
	change = comparison_change(&comparison, key(&comparison, "both"), MEASURE_OWN_PEAK);
	assert_int_equal(change.delta, 50);
	assert_true(change.relative && change.percent == 25.0);
	/* It is there, but its size is not known: that is no change. */
	change = comparison_change(&comparison, key(&comparison, "both"), MEASURE_SIZE);
	assert_true(change.delta == U && !change.relative);
	change = comparison_change(&comparison, key(&comparison, "gone"), MEASURE_OWN_PEAK);
	assert_true(change.delta == -80 && change.new == U && !change.relative);
	change = comparison_change(&comparison, key(&comparison, "come"), MEASURE_OWN_PEAK);
	assert_true(change.delta == 90 && change.base == U && !change.relative);
	comparison_release(&comparison);
}

static void comparison_median__several_runs__is_of_those_that_have_it(void **state)
{
	struct comparison comparison;

	(void)state;
	comparison_init(&comparison, 2);
	for (int64_t i = 0; i < 4; i++)
		add(&comparison, comparison_add_run(&comparison, SIDE_BASE), "a", 10 * i, 1);
	comparison_add_run(&comparison, SIDE_BASE);
	add(&comparison, comparison_add_run(&comparison, SIDE_NEW), "a", 7, 1);
	assert_int_equal(comparison_median(&comparison, SIDE_BASE, 0, MEASURE_OWN_PEAK), 15);
	assert_int_equal(comparison_present(&comparison, SIDE_BASE, 0), 4);
	assert_int_equal(comparison_runs(&comparison, SIDE_BASE), 5);
	assert_int_equal(comparison_median(&comparison, SIDE_NEW, 0, MEASURE_OWN_PEAK), 7);
	comparison_release(&comparison);
}

static void compare_effect__both_limits__must_be_reached(void **state)
{
	const struct compare_effect effect = { 1.0, 100, 1000 };
	struct compare_change change = { .base = 5000, .relative = true };

	(void)state;
	change.delta = 60, change.percent = 1.2;
	assert_false(compare_effect_reached(&effect, MEASURE_SIZE, &change));
	change.delta = -110, change.percent = -2.2;
	assert_true(compare_effect_reached(&effect, MEASURE_SIZE, &change));
	assert_false(compare_effect_reached(&effect, MEASURE_CPU, &change));
	change.percent = -0.9;
	assert_false(compare_effect_reached(&effect, MEASURE_SIZE, &change));
	change.relative = false;
	assert_true(compare_effect_reached(&effect, MEASURE_SIZE, &change));
	change.delta = U;
	assert_false(compare_effect_reached(&effect, MEASURE_SIZE, &change));
}

static struct process *add_process(struct process_list *list, enum role role, const char *crate,
				   const char *target)
{
	struct process *process = process_list_add(list);

	process->start_ns = (int64_t)list->nr;
	process->pid = 1000 - (int64_t)list->nr;
	process->tag.role = role;
	process->tag.crate = xstrdup_or_null(crate);
	process->tag.target = xstrdup_or_null(target);
	return process;
}

static void unit_keys__equal_processes__are_numbered_by_start(void **state)
{
	struct process_list base = PROCESS_LIST_INIT, new = PROCESS_LIST_INIT;
	struct comparison comparison;
	uint32_t *of_base, *of_new;

	(void)state;
	comparison_init(&comparison, UNIT_TEXTS);
	add_process(&base, ROLE_RUSTC, "syn", "host");
	add_process(&base, ROLE_RUSTC, "syn", "x86_64");
	add_process(&base, ROLE_PROBE, NULL, NULL);
	add_process(&base, ROLE_PROBE, NULL, NULL)->tag.built_by = 1;
	add_process(&base, ROLE_PROBE, NULL, NULL);
	add_process(&new, ROLE_PROBE, NULL, NULL);
	add_process(&new, ROLE_RUSTC, "syn", "x86_64");
	add_process(&new, ROLE_PROBE, NULL, NULL);
	of_base = unit_keys(&base, &comparison);
	of_new = unit_keys(&new, &comparison);
	assert_int_equal(comparison.keys_nr, 5);
	assert_int_equal(of_new[0], of_base[2]);
	assert_int_equal(of_new[1], of_base[1]);
	assert_int_equal(of_new[2], of_base[4]);
	assert_string_equal(comparison.keys[of_base[4]].texts[UNIT_ORDINAL], "2");
	assert_string_equal(comparison.keys[of_base[3]].texts[UNIT_BUILT_BY], "1");
	free(of_base);
	free(of_new);
	comparison_release(&comparison);
	process_list_release(&base);
	process_list_release(&new);
}

/* A function that a run has not took nothing there; what a run does not know of anything is unknown. */
static void comparison_median__runs_without_the_key__count_as_0(void **state)
{
	struct comparison comparison;
	size_t runs[5];

	(void)state;
	comparison_init(&comparison, 2);
	for (size_t i = 0; i < 5; i++) {
		runs[i] = comparison_add_run(&comparison, SIDE_BASE);
		add(&comparison, runs[i], "all", i < 4 ? 100 : U, 10);
	}
	add(&comparison, runs[0], "often", 50, 5);
	add(&comparison, runs[1], "often", 50, 5);
	add(&comparison, runs[2], "often", 50, 5);
	add(&comparison, runs[3], "seldom", 50, 5);
	/* Of five sizes three are 5; of four peaks, as the last run knows none, three are 50. */
	assert_int_equal(
		comparison_median(&comparison, SIDE_BASE, key(&comparison, "often"), MEASURE_SIZE),
		5);
	assert_int_equal(comparison_median(&comparison, SIDE_BASE, key(&comparison, "often"),
					   MEASURE_OWN_PEAK),
			 50);
	assert_int_equal(
		comparison_median(&comparison, SIDE_BASE, key(&comparison, "seldom"), MEASURE_SIZE),
		0);
	assert_int_equal(comparison_median(&comparison, SIDE_BASE, key(&comparison, "seldom"),
					   MEASURE_OWN_PEAK),
			 0);
	assert_true(comparison_median(&comparison, SIDE_BASE, key(&comparison, "seldom"),
				      MEASURE_CPU) == U);
	assert_true(comparison_median(&comparison, SIDE_NEW, key(&comparison, "seldom"),
				      MEASURE_SIZE) == U);
	comparison_release(&comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_key__texts__tell_keys_apart),
		cmocka_unit_test(comparison_add__same_key__adds_up_but_for_own_peaks),
		cmocka_unit_test(comparison_change__new_and_vanished_keys__count_from_0),
		cmocka_unit_test(comparison_median__several_runs__is_of_those_that_have_it),
		cmocka_unit_test(comparison_median__runs_without_the_key__count_as_0),
		cmocka_unit_test(compare_effect__both_limits__must_be_reached),
		cmocka_unit_test(unit_keys__equal_processes__are_numbered_by_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
