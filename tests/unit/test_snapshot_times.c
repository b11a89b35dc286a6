/*
 * When heap snapshots of one process are due.
 */
#include "record/snapshots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/text.h"

#define S NS_PER_S

static int64_t moments[] = { 2 * S, 30 * S, 31 * S };

static const struct config_heap every = { .snapshots = 3, .interval_ns = 10 * S };
static const struct config_heap periodic = { .snapshots = 3,
					     .interval_ns = 10 * S,
					     .periodic = true };
static const struct config_heap chosen = { .snapshots = 9,
					   .interval_ns = 10 * S,
					   .at = { moments, ARRAY_SIZE(moments), 0 } };

/* Taken at once. */
static void snapshot_due__each_setting__has_its_moments(void **state)
{
	static const struct {
		const struct config_heap *heap;
		int64_t times[4];
	} cases[] = {
		{ &every, { 0, 10 * S, 20 * S, -1 } },
		{ &periodic, { 0, -1, -1, -1 } },
		{ &chosen, { 2 * S, 30 * S, 31 * S, -1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t age = 0;

		for (size_t n = 0; n < ARRAY_SIZE(cases[i].times); n++) {
			size_t next = n;

			assert_int_equal(snapshot_due(cases[i].heap, &next, age),
					 cases[i].times[n]);
			assert_int_equal(next, n);
			age = cases[i].times[n];
		}
	}
}

/* wpr takes longer than the interval, for a large heap or on a machine at its limit. */
static void snapshot_due__slow__none_is_lost(void **state)
{
	static const struct {
		const struct config_heap *heap;
		size_t n;
		int64_t age, due;
		size_t next;
	} cases[] = {
		{ &every, 1, 10 * S - 1, 10 * S, 1 },   { &every, 1, 10 * S, 20 * S, 1 },
		{ &every, 1, 100 * S + 5, 110 * S, 1 }, { &every, 2, 100 * S, 110 * S, 2 },
		{ &every, 3, 100 * S, -1, 3 },          { &periodic, 1, 100 * S, -1, 1 },
		{ &chosen, 1, 30 * S + 5, 30 * S, 1 },  { &chosen, 1, 31 * S, 31 * S, 2 },
		{ &chosen, 1, 100 * S, 31 * S, 2 },     { &chosen, 2, 31 * S, 31 * S, 2 },
		{ &chosen, 3, 100 * S, -1, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t next = cases[i].n;

		assert_int_equal(snapshot_due(cases[i].heap, &next, cases[i].age), cases[i].due);
		assert_int_equal(next, cases[i].next);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot_due__each_setting__has_its_moments),
		cmocka_unit_test(snapshot_due__slow__none_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
