/*
 * The directory of a recording by wpr or xperf: which files are moved or removed, and that no others are touched.
 */
#include "profiler/etw/etw_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "profiler/profiler.h"
#include "util/alloc.h"

#define INSTANCE "stagetrace-0123456789ab"
#define RAW      "WPR_initiated_" INSTANCE "_WPR System Collector.etl"

struct place {
	char *temp, *dir, *run;
};

static void put(const char *dir, const char *name, const char *text)
{
	char *path = fs_join(dir, name);
	struct err err = ERR_INIT;

	assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
	free(path);
}

static bool has(const char *dir, const char *name)
{
	char *path = fs_join(dir, name);
	bool there = fs_exists(path);

	free(path);
	return there;
}

static int set_up(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));
	struct err err = ERR_INIT;

	place->temp = fs_temp_dir(&err);
	place->dir = fs_join(place->temp, INSTANCE);
	place->run = fs_join(place->temp, "run");
	*state = place;
	return fs_mkdir(place->dir, &err) || fs_mkdir(place->run, &err);
}

static int tear_down(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int rc = fs_remove_tree(place->temp, &err);

	free(place->temp);
	free(place->dir);
	free(place->run);
	free(place);
	return rc;
}

static void etw_files_instance__directory__gives_a_name_of_its_own(void **state)
{
	char *a = etw_files_instance("/runs/a.partial"), *b = etw_files_instance("/runs/b.partial"),
	     *again = etw_files_instance("/runs/a.partial");

	(void)state;
	assert_string_equal(a, again);
	assert_string_not_equal(a, b);
	assert_true(etw_files_is_instance(a));
	assert_false(etw_files_is_instance(NULL));
	assert_false(etw_files_is_instance("WprApp"));
	assert_false(etw_files_is_instance("stagetrace-"));
	assert_false(etw_files_is_instance("stagetrace-0123456789a"));
	assert_false(etw_files_is_instance("stagetrace-0123456789ab/"));
	assert_false(etw_files_is_instance("stagetrace-../../../etc"));
	free(a);
	free(b);
	free(again);
}

static void etw_files_directory__temp__is_below_it_or_in_the_run(void **state)
{
	struct config config = CONFIG_INIT;
	struct profiler_job job = { .config = &config, .dir = "/runs/a.partial" };
	char *instance = etw_files_instance(job.dir), *expected, *dir = etw_files_dir(&job);

	(void)state;
	assert_string_equal(dir, "/runs/a.partial/recorder");
	free(dir);
	config.temp = xstrdup("/no/such/directory");
	dir = etw_files_dir(&job);
	expected = xasprintf("/no/such/directory/%s", instance);
	assert_string_equal(dir, expected);
	assert_int_equal(etw_files_longest("/t", INSTANCE), strlen("/t/" RAW));
	free(config.temp);
	free(expected);
	free(dir);
	free(instance);
}

static void etw_files_take__trace__is_moved_once(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	char *to = fs_join(place->run, "trace.etl");

	assert_int_equal(etw_files_move_trace(place->dir, to, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	put(place->dir, ETW_FILE, "");
	assert_int_equal(etw_files_move_trace(place->dir, to, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	put(place->dir, ETW_FILE, "trace");
	assert_int_equal(etw_files_move_trace(place->dir, to, &err), 0);
	assert_int_equal(fs_size(to), 5);
	assert_false(has(place->dir, ETW_FILE));
	free(to);
}

static void etw_files_take_raw__unmerged_files__are_numbered(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int count = 0;

	put(place->dir, RAW, "12345");
	put(place->dir, "WPR_initiated_" INSTANCE "_WPR Event Collector.etl", "123");
	put(place->dir, "WPR_initiated_WprApp_WPR System Collector.etl", "somebody's");
	put(place->dir, "empty-" INSTANCE ".etl", "");
	assert_int_equal(profiler_dir_bytes(place->dir), 18);
	assert_true(etw_files_has_raw(place->dir, INSTANCE));
	assert_int_equal(etw_files_move_raw(place->dir, INSTANCE, place->run, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_true(has(place->run, "raw-1.etl") && has(place->run, "raw-2.etl"));
	assert_true(has(place->dir, "WPR_initiated_WprApp_WPR System Collector.etl"));
}

static void etw_files_remove__directory__loses_only_what_is_ours(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;

	put(place->dir, RAW, "raw");
	put(place->dir, ETW_FILE, "trace");
	put(place->dir, "letter.txt", "somebody's");
	assert_int_equal(etw_files_remove(place->dir, INSTANCE, &err), 0);
	assert_false(has(place->dir, RAW) || has(place->dir, ETW_FILE));
	assert_true(has(place->dir, "letter.txt"));
	assert_false(etw_files_has_raw(place->dir, INSTANCE));
	{
		char *letter = fs_join(place->dir, "letter.txt");

		assert_int_equal(fs_remove(letter, &err), 0);
		free(letter);
	}
	assert_int_equal(etw_files_remove(place->dir, INSTANCE, &err), 0);
	assert_false(fs_exists(place->dir));
	assert_int_equal(etw_files_remove(place->dir, INSTANCE, &err), 0);
	assert_int_equal(profiler_dir_bytes(place->dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etw_files_instance__directory__gives_a_name_of_its_own),
		cmocka_unit_test(etw_files_directory__temp__is_below_it_or_in_the_run),
		cmocka_unit_test_setup_teardown(etw_files_take__trace__is_moved_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(etw_files_take_raw__unmerged_files__are_numbered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			etw_files_remove__directory__loses_only_what_is_ours, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
