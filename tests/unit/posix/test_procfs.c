#include "platform/posix/procfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/array.h"

static void procfs_parse_stat__strange_name__fields(void **state)
{
	const char *line = "77 (a) b (c) Z 5 6 7 0 -1 4194368 1 2 3 4 5 6 7 8 20 0 3 0 1250 0 0 "
			   "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 -1 1 0 0 0 0 0 0 0 0 9000 "
			   "0 0 0 768\n";
	struct procfs_stat stat;

	(void)state;
	assert_true(procfs_parse_stat(line, 500, &stat));
	assert_int_equal(stat.pid, 77);
	assert_int_equal(stat.state, 'Z');
	assert_int_equal(stat.ppid, 5);
	assert_int_equal(stat.pgrp, 6);
	assert_int_equal(stat.session, 7);
	assert_true(stat.only_forked);
	assert_true(stat.is_thread);
	assert_int_equal(stat.threads, 3);
	assert_int_equal(stat.start_ns, INT64_C(12500000000) - 500);
	assert_int_equal(stat.start_ticks, 1250);
	assert_int_equal(stat.arg_start, 9000);
	assert_int_equal(stat.status, 768);
	assert_false(procfs_parse_stat("", 0, &stat));
	assert_false(procfs_parse_stat("77 (a) R 5", 0, &stat));
}

/* As no kernel writes it. */
static void procfs_parse_stat__start_beyond_all_years__is_none(void **state)
{
	static const char *const starts[] = { "9999999999999", "9223372036854775808", "-1" };
	struct procfs_stat stat;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		char *line = xasprintf("77 (a) R 5 6 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 3 0 %s 0 0 0 0 "
				       "0 0 0 0 0 0 0 0 0 0 0 -1 1 0 0 0\n",
				       starts[i]);

		assert_false(procfs_parse_stat(line, 500, &stat));
		free(line);
	}
}

static void procfs_split_cmdline__forms__arguments(void **state)
{
	static const struct {
		const char *bytes;
		size_t len, nr;
	} cases[] = {
		{ "", 0, 0 },
		{ "a\0", 2, 1 },
		{ "a\0\0b\0", 5, 3 },
		{ "a\0\0\0", 4, 3 },
		{ "nginx: master", 13, 1 },
		{ "a\0b\0\0\0\0\0\0\0\0\0\0\0", 14, 2 },
		{ "\0", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;

		procfs_split_cmdline(cases[i].bytes, cases[i].len, &argv);
		assert_int_equal(argv.nr, cases[i].nr);
		strvec_release(&argv);
	}
}

static void pid_cursor__begins_again__counted(void **state)
{
	const struct pid_cursor cursor = { .fd = -1, .limit = 32768 };

	(void)state;
	assert_int_equal(pid_cursor_parse("0.08 0.95 0.87 1/91 15498\n"), 15498);
	assert_int_equal(pid_cursor_parse("nonsense"), -1);
	assert_int_equal(pid_cursor_count(&cursor, 100, 103), 3);
	assert_int_equal(pid_cursor_count(&cursor, 32766, 301), 3);
	assert_int_equal(pid_cursor_after(&cursor, 32766), 32767);
	assert_int_equal(pid_cursor_after(&cursor, 32767), 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(procfs_parse_stat__strange_name__fields),
		cmocka_unit_test(procfs_parse_stat__start_beyond_all_years__is_none),
		cmocka_unit_test(procfs_split_cmdline__forms__arguments),
		cmocka_unit_test(pid_cursor__begins_again__counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
