#include "rundir/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include <cmocka.h>

#include "rundir/bundle.h"
#include "run_fixture.h"
#include "util/array.h"
#include "util/text.h"

#define MANIFEST "{\"format_version\": 1, \"state\": \"done\", \"name\": \"n\"}"

/* A zip of names and texts, ended by NULL. */
static void write_zip(const char *path, const char *const *members)
{
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	for (; *members; members += 2)
		zip_file_add(zip, members[0],
			     zip_source_buffer(zip, members[1], strlen(members[1]), 0), 0);
	assert_int_equal(zip_close(zip), 0);
}

static void check_members(struct run_source *source)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_true(run_source_has(source, "logs/stage1.log"));
	assert_false(run_source_has(source, "logs"));
	assert_false(run_source_has(source, "logs/none"));
	assert_false(run_source_has(source, "../run.zip"));
	assert_false(run_source_has(source, "/etc/passwd"));
	assert_int_equal(run_source_size(source, "logs/stage1.log"), 8);
	assert_int_equal(run_source_size(source, "none"), -1);
	strbuf_adds(&text, "> ");
	assert_int_equal(run_source_read(source, "logs/stage1.log", 8, &text, &err), 0);
	assert_string_equal(text.buf, "> stage 1\n");
	assert_int_equal(run_source_read(source, "logs/stage1.log", 7, &text, &err), -1);
	assert_non_null(strstr(err.msg, "larger than 7 bytes"));
	assert_int_equal(run_source_read(source, "none", 7, &text, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	strbuf_clear(&text);
	assert_int_equal(run_source_read_end(source, "logs/stage1.log", 3, &text, &err), 0);
	assert_string_equal(text.buf, " 1\n");
	assert_int_equal(run_source_read_end(source, "logs/stage1.log", 8, &text, &err), 0);
	assert_int_equal(run_source_read_end(source, "logs/stage1.log", 9, &text, &err), 0);
	assert_string_equal(text.buf, " 1\nstage 1\nstage 1\n");
	assert_int_equal(run_source_read_end(source, "none", 7, &text, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	strbuf_release(&text);
}

static void check_contents(struct run_source *source)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct strbuf first = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct manifest manifest;
	int64_t damaged;

	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_string_equal(manifest.name, RUN_NAME);
	manifest_release(&manifest);
	assert_int_equal(run_source_processes(source, &list, &damaged, &first, &err), 0);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.v[0]->pid, 1);
	assert_int_equal(damaged, 1);
	assert_non_null(strstr(first.buf, "processes.jsonl:3: "));
	process_list_release(&list);
	strbuf_release(&first);
}

static void check_file(struct run_source *source)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *path = run_source_file(source, "logs/stage1.log", &err);
	char *again = run_source_file(source, "logs/stage1.log", &err);

	assert_non_null(path);
	assert_string_equal(path, again);
	assert_int_equal(fs_read(path, 100, &text, &err), 0);
	assert_string_equal(text.buf, "stage 1\n");
	assert_null(run_source_file(source, "none", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	strbuf_release(&text);
	free(path);
	free(again);
}

static void run_source__directory_and_bundle__give_the_same(void **state)
{
	struct fixture *fixture = *state;
	const char *const paths[] = { fixture->run, fixture->zip };
	struct bundle_options options = { .compress = true };
	struct err err = ERR_INIT;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct run_source *source;

		assert_int_equal(run_source_open(paths[i], &source, &err), 0);
		assert_string_equal(run_source_path(source), paths[i]);
		check_members(source);
		check_contents(source);
		check_file(source);
		run_source_free(source);
	}
}

static void run_source_file__of_a_bundle__is_gone_when_freed(void **state)
{
	struct fixture *fixture = *state;
	const char *const members[] = { "manifest.json", MANIFEST, "a/x", "1", "b/x", "22", NULL };
	struct run_source *source;
	struct err err = ERR_INIT;
	char *a, *b;

	write_zip(fixture->zip, members);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	a = run_source_file(source, "a/x", &err);
	b = run_source_file(source, "b/x", &err);
	assert_int_equal(fs_size(a), 1);
	assert_int_equal(fs_size(b), 2);
	run_source_free(source);
	assert_false(fs_exists(a));
	assert_false(fs_exists(b));
	free(a);
	free(b);
}

/* Zeros, of which deflate makes a thousandth: they would fill memory or the disk. */
static void run_source__member_packed_to_nothing__is_refused(void **state)
{
	struct fixture *fixture = *state;
	const char *const members[] = { "manifest.json", MANIFEST, NULL };
	size_t large = (size_t)80 << 20;
	char *zeros = calloc(1, large);
	struct strbuf text = STRBUF_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;
	zip_t *zip;

	write_zip(fixture->zip, members);
	zip = zip_open(fixture->zip, 0, NULL);
	zip_file_add(zip, "processes.jsonl", zip_source_buffer(zip, zeros, large, 0), 0);
	assert_int_equal(zip_close(zip), 0);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_size(source, "processes.jsonl"), large);
	assert_int_equal(run_source_bundle_bytes(source), fs_size(fixture->zip));
	assert_int_equal(run_source_read(source, "processes.jsonl", INT64_MAX, &text, &err), -1);
	assert_non_null(strstr(err.msg, " has 80 MB unpacked, the limit for its size is 73 MB: "));
	err_clear(&err);
	assert_null(run_source_file(source, "processes.jsonl", &err));
	assert_non_null(strstr(err.msg, "STAGETRACE_LIMITS=4"));
	err_clear(&err);
	strbuf_release(&text);
	run_source_free(source);
	free(zeros);
}

/* Other methods pack what repeats to a ten thousandth. */
static void run_source__member_of_another_method__is_refused(void **state)
{
	struct fixture *fixture = *state;
	const char *const members[] = { "manifest.json", MANIFEST, "processes.jsonl", "{}\n",
					NULL };
	struct strbuf text = STRBUF_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;
	zip_t *zip;

	if (!zip_compression_method_supported(ZIP_CM_BZIP2, 1)) {
		print_message("libzip has no bzip2 here\n");
		skip();
	}
	write_zip(fixture->zip, members);
	zip = zip_open(fixture->zip, 0, NULL);
	assert_int_equal(zip_set_file_compression(zip, 1, ZIP_CM_BZIP2, 0), 0);
	assert_int_equal(zip_close(zip), 0);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_read(source, "processes.jsonl", INT64_MAX, &text, &err), -1);
	assert_non_null(strstr(err.msg, "'processes.jsonl' in '"));
	assert_non_null(strstr(err.msg, "' is compressed by method 12, and bundles have only "));
	err_clear(&err);
	assert_null(run_source_file(source, "processes.jsonl", &err));
	assert_non_null(strstr(err.msg, " by method 12, "));
	err_clear(&err);
	strbuf_release(&text);
	run_source_free(source);
}

static void run_source_open__zips__need_one_run(void **state)
{
	static const struct {
		const char *members[7];
		const char *message; /* NULL: it opens */
	} cases[] = {
		{ { "manifest.json", MANIFEST, NULL }, NULL },
		{ { "top/manifest.json", MANIFEST, NULL }, NULL },
		{ { "top/x", "", "manifest.json", MANIFEST, NULL }, NULL },
		{ { "a/manifest.json", "", "b/manifest.json", "", NULL }, "more than one run" },
		{ { "a/b/manifest.json", "", NULL }, "is a zip without a run" },
		{ { "readme.txt", "", NULL }, "is a zip without a run" },
		{ { "a.txt", "", "t/PerfViewData.etl", "", NULL },
		  "is a zip of a trace: unpack it, and give 't/PerfViewData.etl' in it" },
		{ { "/manifest.json", "", NULL }, "is a zip without a run" },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct run_source *source;
		int ret;

		write_zip(fixture->zip, cases[i].members);
		ret = run_source_open(fixture->zip, &source, &err);
		assert_int_equal(ret, cases[i].message ? -1 : 0);
		if (ret)
			assert_non_null(strstr(err.msg, cases[i].message));
		else
			run_source_free(source);
		err_clear(&err);
	}
}

static void run_source_open_traces__zips__have_the_etl_files(void **state)
{
	static const struct {
		const char *members[9];
		int rc;
		size_t nr;
	} cases[] = {
		{ { "log.txt", "", "t/a.etl", "first", "B.ETL", "second", "__MACOSX/a.etl", "",
		    NULL },
		  0,
		  2 },
		{ { "readme.txt", "", "etl", "", NULL }, 1, 0 },
		{ { "a.etl", "", "manifest.json", MANIFEST, NULL }, 1, 0 },
		{ { "a.etl", "", "one/manifest.json", "", "two/manifest.json", "", NULL }, 1, 0 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec members = STRVEC_INIT;
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct run_source *source;
		char *path;

		write_zip(fixture->zip, cases[i].members);
		assert_int_equal(run_source_open_traces(fixture->zip, &source, &members, &err),
				 cases[i].rc);
		assert_int_equal(members.nr, cases[i].nr);
		if (!cases[i].rc) {
			assert_string_equal(members.v[0], "t/a.etl");
			path = run_source_file(source, members.v[0], &err);
			assert_non_null(path);
			assert_int_equal(fs_read(path, 100, &text, &err), 0);
			assert_string_equal(text.buf, "first");
			free(path);
			run_source_free(source);
		}
		strbuf_release(&text);
		strvec_release(&members);
	}
}

/* libzip makes no such zip, so a name is changed in the file. */
static void replace_in_file(const char *path, const char *from, const char *to)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t len = strlen(from);

	assert_int_equal(fs_read(path, INT64_MAX, &text, &err), 0);
	for (size_t i = 0; i + len <= text.len; i++) {
		if (!memcmp(text.buf + i, from, len))
			memcpy(text.buf + i, to, len);
	}
	assert_int_equal(fs_write_atomic(path, text.buf, text.len, &err), 0);
	strbuf_release(&text);
}

static void run_source_open__manifest_twice__is_refused(void **state)
{
	const char *const members[] = { "a/manifest.json", MANIFEST, "b/manifest.json", MANIFEST,
					NULL };
	const char *const at_top[] = { "manifest.json", MANIFEST, "manifest.jsom", MANIFEST, NULL };
	struct fixture *fixture = *state;
	struct run_source *source;
	struct err err = ERR_INIT;

	write_zip(fixture->zip, members);
	replace_in_file(fixture->zip, "b/manifest", "a/manifest");
	assert_int_equal(run_source_open(fixture->zip, &source, &err), -1);
	assert_true(text_ends_with(err.msg, "two members have the name 'a/manifest.json'"));
	err_clear(&err);
	write_zip(fixture->zip, at_top);
	replace_in_file(fixture->zip, "manifest.jsom", "manifest.json");
	assert_int_equal(run_source_open(fixture->zip, &source, &err), -1);
	assert_true(text_ends_with(err.msg, "two members have the name 'manifest.json'"));
	err_clear(&err);
}

static void run_source_open__what_is_no_run__says_what_was_expected(void **state)
{
	struct fixture *fixture = *state;
	struct run_source *source;
	struct err err = ERR_INIT;
	char *path = fixture_path(fixture, "trace.perf.data");

	assert_int_equal(run_source_open(path, &source, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "expected a run directory (with a manifest.json) or a "
					"bundle (.zip)"));
	assert_int_equal(run_source_open(fixture->temp, &source, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_true(text_ends_with(
		err.msg, "it has no manifest.json; give the run or the trace file itself"));
	err_clear(&err);
	free(path);
	path = fs_join(fixture->temp, "data");
	assert_int_equal(fs_write_atomic(path, "PERFILE2", 8, &err), 0);
	assert_int_equal(run_source_open(fixture->temp, &source, &err), -1);
	assert_true(text_ends_with(err.msg, "give the file 'data' in it"));
	assert_int_equal(run_source_open("/nowhere", &source, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	free(path);
}

/* Whatever can be read of it is right, the rest is an error. */
static void run_source__bundle_cut_at_any_byte__is_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_options options = { .compress = true };
	struct strbuf bytes = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	assert_int_equal(fs_read(fixture->zip, 1000000, &bytes, &err), 0);
	for (size_t i = 0; i < bytes.len; i++) {
		struct run_source *source;

		assert_int_equal(fs_write_atomic(fixture->zip, bytes.buf, i, &err), 0);
		assert_int_equal(run_source_open(fixture->zip, &source, &err), -1);
		assert_int_equal(err.code, i < 4 ? ERR_UNSUPPORTED : ERR_CORRUPT);
		err_clear(&err);
	}
	strbuf_release(&bytes);
}

static void run_source__bundle_with_any_byte_damaged__never_lies(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_options options = { .compress = true };
	struct strbuf bytes = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	assert_int_equal(fs_read(fixture->zip, 1000000, &bytes, &err), 0);
	for (size_t i = 0; i < bytes.len; i++) {
		struct strbuf text = STRBUF_INIT;
		struct run_source *source;

		bytes.buf[i] ^= 0x41;
		assert_int_equal(fs_write_atomic(fixture->zip, bytes.buf, bytes.len, &err), 0);
		bytes.buf[i] ^= 0x41;
		if (!run_source_open(fixture->zip, &source, &err)) {
			char *path = run_source_file(source, "logs/stage1.log", &err);

			if (!run_source_read(source, "logs/stage1.log", 1000, &text, &err))
				assert_string_equal(text.buf, "stage 1\n");
			free(path);
			run_source_free(source);
		}
		err_clear(&err);
		strbuf_release(&text);
	}
	strbuf_release(&bytes);
}

/* The four bytes of both sizes of the member, little endian, in both headers. */
static void set_sizes(struct strbuf *zip, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i + 4 <= zip->len; i++) {
		const unsigned char *s = (const unsigned char *)zip->buf + i;
		uint32_t value = s[0] | s[1] << 8 | s[2] << 16 | (uint32_t)s[3] << 24;

		for (size_t k = 0; value == from && k < 4; k++)
			zip->buf[i + k] = (char)(to >> 8 * k);
	}
}

static void run_source__size_that_is_a_lie__is_an_error(void **state)
{
	static const uint32_t lies[] = { 0, 1, 99999, 100001, 4000000000 };
	struct fixture *fixture = *state;
	char *zeros = xmalloc(100001);
	const char *const members[] = { "manifest.json", MANIFEST, "bomb", zeros, NULL };
	struct err err = ERR_INIT;

	memset(zeros, 'a', 100000);
	zeros[100000] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
		struct run_source *source;

		write_zip(fixture->zip, members);
		assert_int_equal(fs_read(fixture->zip, 1000000, &bytes, &err), 0);
		set_sizes(&bytes, 100000, lies[i]);
		assert_int_equal(fs_write_atomic(fixture->zip, bytes.buf, bytes.len, &err), 0);
		assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
		assert_int_equal(run_source_read(source, "bomb", 5000000000, &text, &err), -1);
		assert_true(text.len <= lies[i]);
		assert_non_null(strstr(err.msg, "'bomb'"));
		assert_null(run_source_file(source, "bomb", &err));
		err_clear(&err);
		run_source_free(source);
		strbuf_release(&bytes);
		strbuf_release(&text);
	}
	free(zeros);
}

static void run_source_among__paths__the_first_run(void **state)
{
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *file = fs_join(dir, "perf.data"),
	     *zip = fs_join(dir, "run.zip");

	(void)state;
	write_zip(zip, (const char *const[]){ "manifest.json", MANIFEST, NULL });
	assert_int_equal(fs_write_atomic(file, "x", 1, &err), 0);
	assert_null(run_source_among(&paths));
	strvec_push(&paths, file);
	strvec_push(&paths, "not-there");
	assert_null(run_source_among(&paths));
	strvec_push(&paths, zip);
	strvec_push(&paths, dir);
	assert_string_equal(run_source_among(&paths), zip);
	strvec_release(&paths);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(zip);
	free(file);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_source_among__paths__the_first_run),
		cmocka_unit_test_setup_teardown(run_source__directory_and_bundle__give_the_same,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source_file__of_a_bundle__is_gone_when_freed,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source__member_packed_to_nothing__is_refused,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source__member_of_another_method__is_refused,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source_open__zips__need_one_run, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source_open_traces__zips__have_the_etl_files,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source_open__manifest_twice__is_refused,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			run_source_open__what_is_no_run__says_what_was_expected, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source__bundle_cut_at_any_byte__is_damaged,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			run_source__bundle_with_any_byte_damaged__never_lies, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(run_source__size_that_is_a_lie__is_an_error,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
