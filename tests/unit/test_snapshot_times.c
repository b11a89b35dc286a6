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

static void snapshot_time__each_wish__has_its_moments(void **state)
{
	static const struct {
		const struct config_heap *heap;
		int64_t times[5];
	} cases[] = {
		{ &every, { 0, 10 * S, 20 * S, -1, -1 } },
		{ &periodic, { 0, -1, -1, -1, -1 } },
		{ &chosen, { 2 * S, 30 * S, 31 * S, -1, -1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t n = 0; n < ARRAY_SIZE(cases[i].times); n++)
			assert_int_equal(snapshot_time(cases[i].heap, n), cases[i].times[n]);
	}
}

/* A snapshot of a large heap takes longer than the interval: those between are not made up for. */
static void snapshot_after__late__leaves_out_what_is_past(void **state)
{
	static const struct {
		const struct config_heap *heap;
		size_t n;
		int64_t age;
		size_t next;
	} cases[] = {
		{ &every, 0, 0, 1 },           { &every, 0, 10 * S - 1, 1 },
		{ &every, 0, 10 * S, 2 },      { &every, 0, 100 * S, 3 },
		{ &every, 2, 21 * S, 3 },      { &periodic, 0, 100 * S, 1 },
		{ &chosen, 0, 30 * S + 5, 2 }, { &chosen, 1, 31 * S, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(snapshot_after(cases[i].heap, cases[i].n, cases[i].age),
				 cases[i].next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot_time__each_wish__has_its_moments),
		cmocka_unit_test(snapshot_after__late__leaves_out_what_is_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
