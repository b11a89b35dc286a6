#include "trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/fs.h"
#include "support/perf_writer.h"
#include "util/alloc.h"
#include "util/array.h"

static const struct trace_options options = {
	.base_ns = TRACE_BASE_FIRST, .cpu = true, .memory = true, .threads = 2
};

/* A file in a directory of its own; the caller frees both. */
static char *make_file(const void *bytes, size_t nr, char **dir)
{
	struct err err = ERR_INIT;
	char *path;

	*dir = fs_temp_dir(&err);
	assert_non_null(*dir);
	path = fs_join(*dir, "data");
	assert_int_equal(fs_write_atomic(path, bytes, nr, &err), 0);
	return path;
}

static void remove_all(char *path, char *dir)
{
	struct err err = ERR_INIT;

	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(path);
	free(dir);
}

static int open_trace(const char *path, const char *other, struct trace_reader **reader,
		      struct err *err)
{
	struct strvec paths = STRVEC_INIT;
	int rc;

	strvec_push(&paths, path);
	if (other)
		strvec_push(&paths, other);
	rc = trace_reader_open(&paths, &options, reader, err);
	strvec_release(&paths);
	return rc;
}

static void expect_refusal(const char *path, enum err_code code, const char *words)
{
	struct trace_reader *reader;
	struct err err = ERR_INIT;

	assert_int_equal(open_trace(path, NULL, &reader, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.msg, words));
	err_clear(&err);
}

static void trace_reader__perf_data__is_found_and_read(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	const struct trace_event *events;
	const struct strbuf *bytes;
	struct trace_reader *reader;
	struct err err = ERR_INIT;
	char *dir, *path;
	size_t nr;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_name(writer, 1000, "x");
	bytes = perf_writer_finish(writer);
	path = make_file(bytes->buf, bytes->len, &dir);
	assert_int_equal(open_trace(path, NULL, &reader, &err), 0);
	assert_string_equal(trace_reader_facts(reader)->format, "perf.data");
	assert_int_equal(trace_reader_next(reader, &events, &nr, &err), 1);
	assert_int_equal(nr, 1);
	assert_string_equal(events[0].name, "x");
	assert_int_equal(trace_reader_next(reader, &events, &nr, &err), 0);
	assert_int_equal(trace_reader_next(reader, &events, &nr, &err), 0);
	assert_int_equal(trace_reader_facts(reader)->counters.base_ns, 1000);
	assert_int_equal(trace_reader_again(reader, &options, &err), 0);
	assert_int_equal(trace_reader_next(reader, &events, &nr, &err), 1);
	assert_string_equal(events[0].name, "x");
	assert_int_equal(trace_reader_next(reader, &events, &nr, &err), 0);
	assert_int_equal(trace_reader_facts(reader)->counters.base_ns, 1000);
	trace_reader_free(reader);
	assert_int_equal(open_trace(path, path, &reader, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "give only that one"));
	err_clear(&err);
	perf_writer_free(writer);
	remove_all(path, dir);
}

static void trace_reader__no_trace__is_refused(void **state)
{
	char *dir, *path = make_file("\x7f"
				     "ELF file",
				     9, &dir);
	struct err err = ERR_INIT;
	char *missing = fs_join(dir, "missing");

	(void)state;
	expect_refusal(path, ERR_UNSUPPORTED, "begins with 7f 45 4c 46 20 66 69 6c");
	expect_refusal(missing, ERR_FAILED, "missing");
	expect_refusal(dir, ERR_UNSUPPORTED, "'perf record --threads'");
	assert_int_equal(fs_write_atomic(path, "", 0, &err), 0);
	expect_refusal(path, ERR_UNSUPPORTED, "is empty");
	assert_int_equal(fs_remove(path, &err), 0);
	expect_refusal(dir, ERR_UNSUPPORTED, "is a directory, not a trace");
	free(missing);
	remove_all(path, dir);
}

static void trace_reader__packed_trace__is_refused_with_what_it_is(void **state)
{
	static const struct {
		const char *bytes, *words;
	} cases[] = {
		{ "\x1f\x8b\x08\x08", "is compressed with gzip: unpack it" },
		{ "7z\xbc\xaf\x27\x1c", "is a 7z archive: unpack it" },
		{ "\xfd"
		  "7zXZ",
		  "is compressed with xz" },
		{ "\x28\xb5\x2f\xfd", "is compressed with zstd" },
		{ "MSCF", "is a cabinet" },
		{ "PK\3\4", "is a zip" },
		{ "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
		  "is a pointer of Git LFS, not the file itself: get that with 'git lfs pull'" },
		{ "7z", "begins with 37 7a" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *dir, *path = make_file(cases[i].bytes, strlen(cases[i].bytes), &dir);

		expect_refusal(path, ERR_UNSUPPORTED, cases[i].words);
		remove_all(path, dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_reader__perf_data__is_found_and_read),
		cmocka_unit_test(trace_reader__no_trace__is_refused),
		cmocka_unit_test(trace_reader__packed_trace__is_refused_with_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
