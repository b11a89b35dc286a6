/*
 * What a command that reads a bundle leaves in the directory for temporary files.
 */
#include "rundir/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Add a file of 40 MB to the run, of which `stored` bytes are no hole. */
static void put_sparse(struct fixture *fixture, const char *member, size_t stored)
{
	char *bytes = xcalloc(stored + 1, 1), *path = fixture_path(fixture, member);

	fixture_put(fixture, member, bytes, stored);
	assert_int_equal(truncate(path, 40 << 20), 0);
	free(bytes);
	free(path);
}

static void run_dir_bytes__holes__count_for_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint64_t all, views;

	fixture_put(fixture, "trace.perf.data", "", 0);
	all = run_dir_bytes(fixture->run, true);
	views = run_dir_bytes(fixture->run, false);
	assert_true(views && views < all);
	put_sparse(fixture, "logs/sparse.log", 0);
	put_sparse(fixture, "trace.perf.data", 0);
	assert_int_equal(run_dir_bytes(fixture->run, true), all);
	assert_int_equal(run_dir_bytes(fixture->run, false), views);
	put_sparse(fixture, "logs/sparse.log", 64 << 10);
	put_sparse(fixture, "trace.perf.data", 64 << 10);
	put_sparse(fixture, "symbols/lines.txt", 64 << 10);
	assert_int_equal(run_dir_bytes(fixture->run, true), all + (3 * 64 << 10));
	assert_int_equal(run_dir_bytes(fixture->run, false), views + (2 * 64 << 10));
	assert_int_equal(run_dir_bytes("/nowhere", true), 0);
}

/* Each of the files may be read by itself. */
static void run_dir_list__holes_of_several_files__count_together(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_options options = { .compress = true };
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;

	put_sparse(fixture, "logs/1.log", 0);
	assert_int_equal(run_dir_list(fixture->run, &files, &err), 0);
	strvec_release(&files);
	put_sparse(fixture, "logs/2.log", 0);
	assert_int_equal(run_dir_list(fixture->run, &files, &err), -1);
	assert_non_null(strstr(err.msg, "are sparse: together they are 80 MB long"));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	strvec_release(&files);
	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), -1);
	assert_non_null(strstr(err.msg, "are sparse"));
	err_clear(&err);
	put_sparse(fixture, "logs/2.log", 256 << 10);
	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
}

static void run_source_open__sparse_bundle__is_refused_or_counts_as_stored(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_options options = { .compress = true };
	struct run_source *source;
	struct err err = ERR_INIT;
	int64_t size;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	size = fs_size(fixture->zip);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_bundle_bytes(source), size);
	run_source_free(source);
	assert_int_equal(truncate(fixture->zip, (off_t)1 << 40), 0);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), -1);
	assert_non_null(strstr(err.msg, "is sparse"));
	err_clear(&err);
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
		cmocka_unit_test_setup_teardown(run_dir_bytes__holes__count_for_nothing,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			run_dir_list__holes_of_several_files__count_together, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(
			run_source_open__sparse_bundle__is_refused_or_counts_as_stored,
			fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
