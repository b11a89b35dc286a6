#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/process_index.h"
#include "util/array.h"
#include "util/text.h"

#define MS NS_PER_MS
#define S  NS_PER_S

/* Rows as the tracker has them. */
static const struct {
	int64_t pid, start_ns, end_ns;
} rows[] = {
	{ 7, -5 * S, 2 * S },           /* 0: existed before */
	{ 8, 0, 10 * S },               /* 1 */
	{ 7, 2 * S + 5 * MS, 8 * S },   /* 2: pid 7 once more, at once */
	{ 9, 3 * S, PROCESS_UNKNOWN },  /* 3 */
	{ 7, 20 * S, PROCESS_UNKNOWN }, /* 4: and much later */
	{ 6, INT64_MIN, INT64_MAX },    /* 5: nonsense */
	{ 5, PROCESS_UNKNOWN, 4 * S },  /* 6: existed before, since when is unknown */
};

struct take {
	int64_t pid, time_ns;
	bool started;
	size_t row;
};

static void expect(const struct take *takes, size_t nr)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct process_index index;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct process *process = process_list_add(&list);

		process->pid = rows[i].pid;
		process->start_ns = rows[i].start_ns;
		process->end_ns = rows[i].end_ns;
	}
	process_index_init(&index, &list);
	for (size_t i = 0; i < nr; i++)
		if (process_index_take(&index, takes[i].pid, takes[i].time_ns, takes[i].started) !=
		    takes[i].row)
			fail_msg("take %zu: not row %zd", i, (ptrdiff_t)takes[i].row);
	process_index_release(&index);
	process_list_release(&list);
}

static void process_index_take__pid_used_again__is_the_nearest(void **state)
{
	static const struct take takes[] = {
		{ 7, 2 * S + 4 * MS, true, 2 },   { 7, 0, false, 0 },
		{ 7, 20 * S + 30 * MS, true, 4 }, { 7, 20 * S + 30 * MS, true, ROW_NONE },
		{ 5, -30 * S, false, 6 },         { 10, 0, true, ROW_NONE },
	};

	(void)state;
	expect(takes, ARRAY_SIZE(takes));
}

static void process_index_take__not_its_start__prefers_who_runs_then(void **state)
{
	/* 1.99 s is nearer to the start of row 2, but row 0 still runs. */
	static const struct take seen[] = { { 7, 2 * S - 10 * MS, false, 0 },
					    { 7, 2 * S - 10 * MS, false, 2 },
					    { 9, 500 * S, false, 3 } };
	static const struct take started[] = { { 7, 2 * S - 10 * MS, true, 2 } };

	(void)state;
	expect(seen, ARRAY_SIZE(seen));
	expect(started, ARRAY_SIZE(started));
}

static void process_index_take__more_than_a_second_away__is_another(void **state)
{
	static const struct take takes[] = {
		{ 7, 9 * S + 1, true, ROW_NONE }, { 7, 19 * S - 1, true, ROW_NONE },
		{ 7, 19 * S, true, 4 },           { 7, 9 * S, true, 2 },
		{ 9, 2 * S - 1, true, ROW_NONE }, { 9, 2 * S, true, 3 },
	};

	(void)state;
	expect(takes, ARRAY_SIZE(takes));
}

static void process_index_take__extreme_times__do_not_overflow(void **state)
{
	static const struct take takes[] = {
		{ 6, INT64_MAX, true, 5 },
		{ 8, INT64_MIN, true, ROW_NONE },
		{ 8, INT64_MAX, true, ROW_NONE },
	};

	(void)state;
	expect(takes, ARRAY_SIZE(takes));
}

/* A damaged list: 100,000 rows of one pid, all of which could be meant by any process. */
static void process_index_take__very_many_rows_of_a_pid__is_cheap(void **state)
{
	enum { NR = 100000 };
	struct process_list list = PROCESS_LIST_INIT;
	struct process_index index;
	size_t taken = 0;

	(void)state;
	for (int64_t i = 0; i < NR; i++) {
		struct process *process = process_list_add(&list);

		process->pid = 7;
		process->start_ns = i;
	}
	process_index_init(&index, &list);
	for (int64_t i = 0; i < 2 * NR; i++)
		taken += process_index_take(&index, 7, i / 2, i % 4 == 0) != ROW_NONE;
	assert_in_range(taken, NR / 2, NR);
	process_index_release(&index);
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_index_take__very_many_rows_of_a_pid__is_cheap),
		cmocka_unit_test(process_index_take__pid_used_again__is_the_nearest),
		cmocka_unit_test(process_index_take__not_its_start__prefers_who_runs_then),
		cmocka_unit_test(process_index_take__more_than_a_second_away__is_another),
		cmocka_unit_test(process_index_take__extreme_times__do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
