#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/concurrency.h"
#include "util/array.h"

struct row {
	int64_t pid, ppid, start_ns, end_ns;
	enum role role;
};

static struct concurrency measure(const struct row *rows, size_t nr, int64_t from, int64_t to,
				  int64_t cpus, struct process_list *list)
{
	struct concurrency result;

	for (size_t i = 0; i < nr; i++) {
		struct process *process = process_list_add(list);

		process->pid = rows[i].pid;
		process->ppid = rows[i].ppid;
		process->start_ns = rows[i].start_ns;
		process->end_ns = rows[i].end_ns;
		process->tag.role = rows[i].role;
	}
	process_list_sort(list);
	concurrency_measure(list, from, to, cpus, &result);
	return result;
}

#define MEASURE(rows, from, to, cpus) measure(rows, ARRAY_SIZE(rows), from, to, cpus, &list)

/* Only compilers work, from 10 to 60 with one gap; two of them from 30 to 40. */
static void concurrency_measure__compilers__are_counted(void **state)
{
	static const struct row rows[] = {
		{ 1, 0, 0, 100, ROLE_CARGO },        { 2, 1, 10, 40, ROLE_RUSTC_SHIM },
		{ 3, 2, 10, 40, ROLE_RUSTC },        { 4, 1, 30, 50, ROLE_RUSTC },
		{ 5, 1, 55, 60, ROLE_BUILD_SCRIPT },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency result = MEASURE(rows, 0, 100, 2);

	(void)state;
	assert_int_equal(result.none_ns, 10 + 5 + 40);
	assert_int_equal(result.alone_ns, 20 + 10 + 5);
	assert_int_equal(result.full_ns, 10);
	assert_int_equal(result.most, 2);
	assert_int_equal(result.longest->pid, 3);
	assert_int_equal(result.longest_start_ns, 10);
	assert_int_equal(result.longest_end_ns, 30);
	assert_int_equal(result.cpu_ns, -1);
	process_list_release(&list);
}

/* rustc waits for cc, which a shell starts, and that for ld. */
static void concurrency_measure__who_waits_for_a_child__does_not_work(void **state)
{
	static const struct row rows[] = {
		{ 3, 1, 0, 100, ROLE_RUSTC },
		{ 4, 3, 50, 90, ROLE_OTHER },
		{ 5, 4, 50, 90, ROLE_LINK },
		{ 6, 5, 60, 85, ROLE_LINK },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency result = MEASURE(rows, 0, 100, 1);

	(void)state;
	assert_int_equal(result.none_ns, 0);
	assert_int_equal(result.alone_ns, 100);
	assert_int_equal(result.full_ns, 100);
	assert_int_equal(result.longest->pid, 3);
	assert_int_equal(result.longest_end_ns, 50);
	process_list_release(&list);
}

/* What is outside of the range does not count; what still runs does, to its end. */
static void concurrency_measure__range__is_all_that_counts(void **state)
{
	static const struct row rows[] = {
		{ 3, 1, 0, 20, ROLE_RUSTC },
		{ 4, 1, 5, PROCESS_UNKNOWN, ROLE_RUSTC },
		{ 5, 1, 95, 99, ROLE_RUSTC },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency result = MEASURE(rows, 10, 50, 2);

	(void)state;
	assert_int_equal(result.none_ns, 0);
	assert_int_equal(result.alone_ns, 30);
	assert_int_equal(result.full_ns, 10);
	assert_int_equal(result.longest->pid, 4);
	process_list_release(&list);
}

/* Two of one pid: the child is of the one that started last before it. */
static void concurrency_measure__pid_is_reused__parent_is_the_last(void **state)
{
	static const struct row rows[] = {
		{ 3, 1, 0, 100, ROLE_RUSTC },
		{ 3, 1, 40, 60, ROLE_OTHER },
		{ 4, 3, 50, 55, ROLE_LINK },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency result = MEASURE(rows, 0, 100, 2);

	(void)state;
	assert_int_equal(result.full_ns, 5);
	assert_int_equal(result.alone_ns, 95);
	process_list_release(&list);
}

/* Each step has what a measurement of its range has, but where a child started before it. */
static void concurrency_series__steps__are_measured_one_by_one(void **state)
{
	static const struct row rows[] = {
		{ 1, 0, 0, 100, ROLE_CARGO },
		{ 3, 1, 10, 40, ROLE_RUSTC },
		{ 4, 1, 30, 50, ROLE_RUSTC },
		{ 5, 1, 55, 60, ROLE_BUILD_SCRIPT },
		{ 6, 1, 61, PROCESS_UNKNOWN, ROLE_LINK },
		{ 7, 1, 62, 62, ROLE_RUSTC },
		{ 8, 4, 33, 47, ROLE_LINK },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency all = MEASURE(rows, 0, 100, 2);
	struct concurrency steps[12], sum = { .none_ns = 0 };

	(void)state;
	concurrency_series(&list, 0, 100, 9, ARRAY_SIZE(steps), 2, steps);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct concurrency one;

		concurrency_measure(&list, (int64_t)i * 9, i < 11 ? (int64_t)i * 9 + 9 : 100, 2,
				    &one);
		assert_int_equal(steps[i].none_ns, one.none_ns);
		assert_int_equal(steps[i].alone_ns, one.alone_ns);
		assert_int_equal(steps[i].full_ns, one.full_ns);
		assert_int_equal(steps[i].most, one.most);
		assert_null(steps[i].longest);
		sum.none_ns += steps[i].none_ns;
		sum.alone_ns += steps[i].alone_ns;
		sum.full_ns += steps[i].full_ns;
	}
	assert_int_equal(sum.none_ns, all.none_ns);
	assert_int_equal(sum.alone_ns, all.alone_ns);
	assert_int_equal(sum.full_ns, all.full_ns);
	concurrency_series(&list, 40, 45, 5, 1, 2, steps);
	assert_int_equal(steps[0].alone_ns, 5);
	process_list_release(&list);
}

static void concurrency_longest__times_of_one_or_none__the_longest_first(void **state)
{
	static const struct row rows[] = {
		{ 1, 0, 0, 100, ROLE_CARGO },
		{ 3, 1, 10, 40, ROLE_RUSTC },
		{ 4, 1, 30, 50, ROLE_RUSTC },
		{ 5, 1, 55, 60, ROLE_BUILD_SCRIPT },
	};
	struct process_list list = PROCESS_LIST_INIT;
	struct stretch found[4];

	(void)state;
	MEASURE(rows, 0, 100, 2);
	/* none 60..100, 3 alone 10..30, none 0..10, 4 alone 40..50; shorter ones do not fit. */
	assert_int_equal(concurrency_longest(&list, 0, 100, found, ARRAY_SIZE(found)), 4);
	assert_int_equal(found[0].start_ns, 60);
	assert_int_equal(found[0].end_ns, 100);
	assert_null(found[0].process);
	assert_int_equal(found[1].process->pid, 3);
	assert_int_equal(found[1].start_ns, 10);
	assert_int_equal(found[1].end_ns, 30);
	assert_int_equal(found[2].start_ns, 0);
	assert_int_equal(found[3].process->pid, 4);
	assert_int_equal(concurrency_longest(&list, 30, 40, found, ARRAY_SIZE(found)), 0);
	assert_int_equal(concurrency_longest(&list, 25, 100, found, 1), 1);
	assert_int_equal(found[0].start_ns, 60);
	process_list_release(&list);
}

static void concurrency_measure__nothing__is_none(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct concurrency result;

	(void)state;
	concurrency_measure(&list, 10, 50, 2, &result);
	assert_int_equal(result.none_ns, 40);
	assert_null(result.longest);
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(concurrency_measure__compilers__are_counted),
		cmocka_unit_test(concurrency_measure__who_waits_for_a_child__does_not_work),
		cmocka_unit_test(concurrency_measure__range__is_all_that_counts),
		cmocka_unit_test(concurrency_measure__pid_is_reused__parent_is_the_last),
		cmocka_unit_test(concurrency_series__steps__are_measured_one_by_one),
		cmocka_unit_test(concurrency_longest__times_of_one_or_none__the_longest_first),
		cmocka_unit_test(concurrency_measure__nothing__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
