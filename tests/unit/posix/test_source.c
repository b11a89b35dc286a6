/*
 * What a command that reads a bundle leaves in the directory for temporary files.
 */
#include "rundir/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/program.h"
#include "rundir/bundle.h"
#include "unit/run_fixture.h"

/* A command may be killed at any time: no copy has a name. */
static void run_source_file__of_a_bundle__has_no_name_in_the_directory(void **state)
{
	struct fixture *fixture = *state;
	char *dir = fs_join(fixture->temp, "tmp"), *before = env_get("TMPDIR"), *path;
	struct bundle_options options = { .compress = true };
	struct strvec names = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	assert_int_equal(fs_mkdir(dir, &err), 0);
	assert_int_equal(setenv("TMPDIR", dir, 1), 0);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	path = run_source_file(source, "logs/stage1.log", &err);
	assert_non_null(path);
	assert_int_equal(fs_list(dir, &names, &err), 0);
	assert_int_equal(names.nr, 0);
	assert_int_equal(fs_read(path, 100, &text, &err), 0);
	assert_string_equal(text.buf, "stage 1\n");
	run_source_free(source);
	assert_int_equal(before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR"), 0);
	strbuf_release(&text);
	strvec_release(&names);
	free(before);
	free(dir);
	free(path);
}

static void run_source_name_copies__path_of_a_copy__is_the_member(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_options options = { .compress = true };
	struct run_source *source;
	struct err err = ERR_INIT;
	char *path, *expected = xasprintf("cannot read '%s/logs/stage1.log'", fixture->zip);

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	path = run_source_file(source, "logs/stage1.log", &err);
	err_set(&err, ERR_CORRUPT, "cannot read '%s'", path);
	assert_int_equal(run_source_name_copies(source, &err), -1);
	assert_string_equal(err.msg, expected);
	assert_int_equal(err.code, ERR_CORRUPT);
	err_clear(&err);
	run_source_free(source);
	free(expected);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			run_source_file__of_a_bundle__has_no_name_in_the_directory, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(
			run_source_name_copies__path_of_a_copy__is_the_member, fixture_setup,
			fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
