#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/helper.h"
#include "platform/thread.h"
#include "util/array.h"

/* What jobs did, in the order in which they ran. */
struct log {
	struct monitor *monitor;
	char text[16];
	size_t nr;
	bool open; /* jobs may go on */
};

struct named {
	struct log *log;
	char name;
};

static void note(void *data)
{
	struct named *named = data;
	struct log *log = named->log;

	monitor_enter(log->monitor);
	log->text[log->nr++] = named->name;
	monitor_wake(log->monitor);
	while (!log->open)
		monitor_wait(log->monitor);
	monitor_leave(log->monitor);
}

static void wait_for(struct log *log, size_t nr)
{
	monitor_enter(log->monitor);
	while (log->nr < nr)
		monitor_wait(log->monitor);
	monitor_leave(log->monitor);
}

static void open_up(struct log *log)
{
	monitor_enter(log->monitor);
	log->open = true;
	monitor_wake(log->monitor);
	monitor_leave(log->monitor);
}

static void helper__jobs__run_one_after_the_other(void **state)
{
	struct log log = { .monitor = monitor_new() };
	struct named jobs[] = { { &log, 'a' }, { &log, 'b' }, { &log, 'c' } };
	struct helper *helper = helper_new(2);

	(void)state;
	assert_non_null(helper);
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		helper_add(helper, note, &jobs[i]);
	wait_for(&log, 1);
	/* The first one has begun, and is not done; the last one has not. */
	assert_false(helper_withdraw(helper, &jobs[2]));
	open_up(&log);
	wait_for(&log, 2);
	assert_true(helper_withdraw(helper, &jobs[0]));
	assert_true(helper_withdraw(helper, &jobs[1]));
	helper_free(helper);
	assert_string_equal(log.text, "ab");
	monitor_free(log.monitor);
}

static void set(void *data)
{
	*(volatile int *)data = 1;
}

/* What was taken back, and had begun, is done. */
static void helper_withdraw__has_begun__is_waited_for(void **state)
{
	struct helper *helper = helper_new(2);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int value = 0;
		bool done;

		helper_add(helper, set, &value);
		done = helper_withdraw(helper, &value);
		assert_int_equal(value, done);
	}
	helper_free(helper);
}

static void note_and_wait_for_next(void *data)
{
	struct named *named = data;

	note(named);
	wait_for(named->log, 2);
}

/* The first job ends once the second one has run, which the helper can't begin with before. */
static void helper_withdraw__has_begun__others_are_done_meanwhile(void **state)
{
	struct log log = { .monitor = monitor_new(), .open = true };
	struct named jobs[] = { { &log, 'a' }, { &log, 'b' } };
	struct helper *helper = helper_new(2);

	(void)state;
	helper_add(helper, note_and_wait_for_next, &jobs[0]);
	wait_for(&log, 1);
	helper_add(helper, note, &jobs[1]);
	assert_true(helper_withdraw(helper, &jobs[0]));
	assert_true(helper_withdraw(helper, &jobs[1]));
	helper_free(helper);
	assert_string_equal(log.text, "ab");
	monitor_free(log.monitor);
}

static void helper_wait__has_not_begun__runs_in_its_turn(void **state)
{
	struct log log = { .monitor = monitor_new(), .open = true };
	struct named jobs[] = { { &log, 'a' }, { &log, 'b' }, { &log, 'c' } };
	struct helper *helper = helper_new(2);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		helper_add(helper, note, &jobs[i]);
	helper_wait(helper, &jobs[1]);
	monitor_enter(log.monitor);
	assert_true(log.nr >= 2);
	monitor_leave(log.monitor);
	helper_free(helper);
	assert_string_equal(log.text, "abc");
	monitor_free(log.monitor);
}

static void helper__one_thread__does_nothing(void **state)
{
	struct helper *helper = helper_new(1);
	int value = 0;

	(void)state;
	assert_null(helper);
	helper_add(helper, set, &value);
	helper_wait(helper, &value);
	assert_false(helper_withdraw(helper, &value));
	assert_int_equal(value, 0);
	helper_free(helper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helper__jobs__run_one_after_the_other),
		cmocka_unit_test(helper_withdraw__has_begun__is_waited_for),
		cmocka_unit_test(helper_withdraw__has_begun__others_are_done_meanwhile),
		cmocka_unit_test(helper_wait__has_not_begun__runs_in_its_turn),
		cmocka_unit_test(helper__one_thread__does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
