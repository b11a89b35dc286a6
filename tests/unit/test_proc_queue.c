#include "platform/proc_event.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "util/alloc.h"

static void add(struct proc_queue *queue, int64_t pid)
{
	struct proc_event *event = proc_queue_add(queue);

	assert_int_equal(event->exit_code, -1);
	assert_null(event->exe);
	event->pid = pid;
	event->exe = xasprintf("%lld", (long long)pid);
}

static void expect(struct proc_queue *queue, int64_t pid)
{
	struct proc_event event;

	proc_event_init(&event);
	assert_true(proc_queue_take(queue, &event));
	assert_int_equal(event.pid, pid);
	proc_event_release(&event);
}

static void take__more_are_added__oldest_first(void **state)
{
	struct proc_queue queue = { 0 };
	int64_t added = 0, taken = 0;

	(void)state;
	/* Three in, two out: it grows, and what was taken has its place used again. */
	for (int i = 0; i < 1000; i++) {
		for (int j = 0; j < 3; j++)
			add(&queue, added++);
		for (int j = 0; j < 2; j++)
			expect(&queue, taken++);
	}
	while (taken < added)
		expect(&queue, taken++);
	proc_queue_release(&queue);
}

static void take__as_many_as_are_added__it_does_not_grow(void **state)
{
	struct proc_queue queue = { 0 };
	size_t alloc;

	(void)state;
	for (int64_t pid = 0; pid < 10; pid++)
		add(&queue, pid);
	alloc = queue.alloc;
	for (int64_t pid = 0; pid < 10000; pid++) {
		expect(&queue, pid);
		add(&queue, pid + 10);
	}
	assert_in_range(queue.alloc, alloc, 4 * alloc);
	proc_queue_release(&queue);
}

static void take__empty__releases_the_last_and_says_so(void **state)
{
	struct proc_queue queue = { 0 };
	struct proc_event event;

	(void)state;
	proc_event_init(&event);
	event.exe = xstrdup("last");
	assert_false(proc_queue_take(&queue, &event));
	assert_null(event.exe);
	proc_queue_release(&queue);
}

static void join__some_were_taken__the_rest_follows(void **state)
{
	struct proc_queue queue = { 0 }, from = { 0 };
	struct proc_event event;

	(void)state;
	proc_event_init(&event);
	proc_queue_join(&queue, &from);
	assert_false(proc_queue_take(&queue, &event));
	add(&queue, 1);
	for (int64_t pid = 2; pid <= 5; pid++)
		add(&from, pid);
	expect(&from, 2);
	proc_queue_join(&queue, &from);
	assert_false(proc_queue_take(&from, &event));
	add(&from, 6);
	proc_queue_join(&queue, &from);
	expect(&queue, 1);
	for (int64_t pid = 3; pid <= 6; pid++)
		expect(&queue, pid);
	assert_false(proc_queue_take(&queue, &event));
	add(&queue, 7); /* and is released with it */
	proc_queue_release(&queue);
	proc_queue_release(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(take__more_are_added__oldest_first),
		cmocka_unit_test(take__as_many_as_are_added__it_does_not_grow),
		cmocka_unit_test(take__empty__releases_the_last_and_says_so),
		cmocka_unit_test(join__some_were_taken__the_rest_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
