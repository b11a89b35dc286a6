#include "platform/file.h"

#include "unit/perf_reader_fixture.h"

static char *restore; /* TMPDIR */

static int set_up(void **state)
{
	(void)state;
	restore = getenv("TMPDIR") ? xstrdup(getenv("TMPDIR")) : NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (restore)
		setenv("TMPDIR", restore, 1);
	else
		unsetenv("TMPDIR");
	free(restore);
	return 0;
}

static void scratch_file__written_anywhere__is_read(void **state)
{
	struct scratch_file *file;
	struct err err = ERR_INIT;
	char text[4];

	(void)state;
	assert_int_equal(scratch_file_open(&file, &err), 0);
	assert_int_equal(scratch_file_write(file, UINT64_C(5) << 30, "far", 4, &err), 0);
	assert_int_equal(scratch_file_write(file, 0, "old", 4, &err), 0);
	assert_int_equal(scratch_file_write(file, 0, "new", 4, &err), 0);
	assert_int_equal(scratch_file_read(file, UINT64_C(5) << 30, text, 4, &err), 0);
	assert_string_equal(text, "far");
	assert_int_equal(scratch_file_read(file, 0, text, 4, &err), 0);
	assert_string_equal(text, "new");
	assert_int_equal(scratch_file_read(file, UINT64_C(6) << 30, text, 4, &err), -1);
	err_clear(&err);
	scratch_file_close(file);
	scratch_file_close(NULL);
}

static void scratch_file__no_directory__names_the_remedy(void **state)
{
	struct scratch_file *file = NULL;
	struct err err = ERR_INIT;

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(scratch_file_open(&file, &err), -1);
	assert_string_equal(err.msg, "cannot create a temporary file in '/nonexistent' (TMPDIR "
				     "chooses another directory): No such file or directory");
	assert_null(file);
	err_clear(&err);
}

/* A round that is larger than memory, and nowhere to put it. */
static void scratch_file__none_for_a_reader__is_its_error(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	const struct strbuf *bytes;
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	reading_init(&reading);
	reading.limits.block_shift = 8;
	reading.limits.blocks = 4;
	perf_writer_compress(writer, PERF_WRITER_COMPRESS, 3000);
	for (uint64_t i = 0; i < 2000; i++)
		perf_writer_name(writer, 1000000 + i, "x");
	bytes = perf_writer_finish(writer);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(read_bytes(&reading, bytes->buf, bytes->len), -1);
	assert_non_null(strstr(reading.err.msg, "'/nonexistent'"));
	perf_writer_free(writer);
	reading_release(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(scratch_file__written_anywhere__is_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(scratch_file__no_directory__names_the_remedy,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(scratch_file__none_for_a_reader__is_its_error,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
