#include "rundir/bundle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include <cmocka.h>

#include "config/config.h"
#include "platform/below.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "run_fixture.h"
#include "util/array.h"

static const struct bundle_options plain = { .compress = true, .replace = true };

static void bundle(const struct fixture *fixture, const struct bundle_options *options)
{
	struct err err = ERR_INIT;

	if (bundle_write(fixture->run, fixture->zip, options, &err))
		fail_msg("%s", err.msg);
}

/* Does the message have the text? Paths in it may be written with backslashes. */
static bool says(const struct err *err, const char *text)
{
	char *message = xstrdup(err->msg);
	bool found;

	for (char *s = message; *s; s++) {
		if (*s == '\\')
			*s = '/';
	}
	found = strstr(message, text) != NULL;
	free(message);
	return found;
}

/* The bundle must fail, with `message`, and leave nothing but the run behind. */
static void bundle_fails(const struct fixture *fixture, const struct bundle_options *options,
			 enum err_code code, const char *message)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(bundle_write(fixture->run, fixture->zip, options, &err), -1);
	if (!says(&err, message) || err.code != code)
		fail_msg("%d '%s' is not '%s'", err.code, err.msg, message);
	err_clear(&err);
	assert_int_equal(fs_list(fixture->temp, &names, &err), 0);
	assert_int_equal(names.nr, 1);
	assert_string_equal(names.v[0], RUN_NAME);
	strvec_release(&names);
}

static void bundle_write__a_run__has_a_top_directory_and_order(void **state)
{
	static const char *const expected[] = { "logs/stage1.log", "open.sh",
						"processes.jsonl", "symbols/0.sym",
						"trace.perf.data", "manifest.json" };
	struct fixture *fixture = *state;
	zip_t *zip;

	bundle(fixture, &plain);
	zip = zip_open(fixture->zip, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	assert_non_null(zip);
	assert_int_equal(zip_get_num_entries(zip, 0), ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char *name = xasprintf("%s/%s", RUN_NAME, expected[i]);
		zip_uint32_t attributes;
		zip_uint8_t system;

		assert_string_equal(zip_get_name(zip, i, 0), name);
		zip_file_get_external_attributes(zip, i, 0, &system, &attributes);
		assert_int_equal(system, ZIP_OPSYS_UNIX);
		assert_int_equal(attributes >> 16, i == 1 ? 0100700 : 0100600);
		free(name);
	}
	zip_discard(zip);
}

static void bundle_write__twice__gives_the_same_bytes(void **state)
{
	struct fixture *fixture = *state;
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct err err = ERR_INIT;

	bundle(fixture, &plain);
	assert_int_equal(fs_read(fixture->zip, 100000, &first, &err), 0);
	bundle(fixture, &plain);
	assert_int_equal(fs_read(fixture->zip, 100000, &second, &err), 0);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.buf, second.buf, first.len);
	strbuf_release(&first);
	strbuf_release(&second);
}

static void bundle_write__methods__are_deflate_or_store(void **state)
{
	struct fixture *fixture = *state;

	fixture_put(fixture, "symbols/more.zst", "aaaaaaaaaaaaaaaaaaaaaaaaa", 25);
	for (int compress = 0; compress < 2; compress++) {
		struct bundle_options options = { .compress = compress, .replace = true };
		zip_t *zip;

		bundle(fixture, &options);
		zip = zip_open(fixture->zip, ZIP_RDONLY, NULL);
		for (zip_uint64_t i = 0; i < 7; i++) {
			zip_stat_t st;

			zip_stat_index(zip, i, 0, &st);
			assert_int_equal(st.comp_method, compress && !strstr(st.name, ".zst")
								 ? ZIP_CM_DEFLATE
								 : ZIP_CM_STORE);
		}
		zip_discard(zip);
	}
}

static void bundle_write__unknown_files__are_in_the_manifest_inside(void **state)
{
	struct fixture *fixture = *state;
	const struct manifest_file *file;
	struct run_source *source;
	struct manifest manifest;
	char sha256[HASH_TEXT_SIZE];
	struct err err = ERR_INIT;

	fixture_put(fixture, "report.html", "<html>", 6);
	fixture_put(fixture, "left.partial", "x", 1);
	bundle(fixture, &plain);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_false(run_source_has(source, "left.partial"));
	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_int_equal(manifest.files_nr, 6);
	file = manifest_find_file(&manifest, "report.html");
	hash_bytes("<html>", 6, sha256);
	assert_string_equal(file->sha256, sha256);
	assert_int_equal(file->size, 6);
	manifest_release(&manifest);
	run_source_free(source);
}

static void bundle_write__nothing_to_change__keeps_the_manifest_as_it_is(void **state)
{
	struct fixture *fixture = *state;
	struct strbuf before = STRBUF_INIT, inside = STRBUF_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;
	char *path = fixture_path(fixture, "manifest.json");

	assert_int_equal(fs_read(path, 100000, &before, &err), 0);
	strbuf_set_len(&before, before.len - strlen("\n}\n"));
	strbuf_adds(&before, ",\"later\":1}");
	fixture_put(fixture, "manifest.json", before.buf, before.len);
	bundle(fixture, &plain);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_read(source, "manifest.json", 100000, &inside, &err), 0);
	assert_string_equal(inside.buf, before.buf);
	run_source_free(source);
	strbuf_release(&before);
	strbuf_release(&inside);
	free(path);
}

static void bundle_write__without_symbols__lists_none(void **state)
{
	struct bundle_options options = { .compress = true, .without_symbols = true };
	struct fixture *fixture = *state;
	struct run_source *source;
	struct manifest manifest;
	struct err err = ERR_INIT;

	bundle(fixture, &options);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_false(run_source_has(source, "symbols/0.sym"));
	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_null(manifest_find_file(&manifest, "symbols/0.sym"));
	assert_non_null(manifest_find_file(&manifest, "trace.perf.data"));
	manifest_release(&manifest);
	run_source_free(source);
}

static void bundle_write__kept_stack_copies__are_left_out(void **state)
{
	struct fixture *fixture = *state;
	struct run_source *source;
	struct err err = ERR_INIT;

	fixture_put(fixture, RUN_STACK_COPIES, "SECRET=x\n", 9);
	bundle(fixture, &plain);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_false(run_source_has(source, RUN_STACK_COPIES));
	assert_true(run_source_has(source, RUN_PERF_DATA));
	run_source_free(source);
}

static void bundle_write__changed_or_missing_file__names_it(void **state)
{
	struct fixture *fixture = *state;
	struct err err = ERR_INIT;
	char *path = fixture_path(fixture, "logs/stage1.log");

	fixture_put(fixture, "logs/stage1.log", "stage 2\n", 8);
	bundle_fails(fixture, &plain, ERR_CORRUPT,
		     "logs/stage1.log' has changed since the recording: its");
	fixture_put(fixture, "logs/stage1.log", "stage 1\nx", 9);
	bundle_fails(fixture, &plain, ERR_CORRUPT, "9 bytes, but the manifest says 8");
	fs_remove(path, &err);
	bundle_fails(fixture, &plain, ERR_CORRUPT, "'logs/stage1.log' is missing");
	fixture_put(fixture, "manifest.json", "{", 1);
	bundle_fails(fixture, &plain, ERR_CORRUPT, "manifest.json: 1: ");
	free(path);
}

static void bundle_write__bad_places__are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct strvec before = STRVEC_INIT, after = STRVEC_INIT;
	const struct {
		char *path;
		const char *message;
	} cases[] = {
		{ fixture_path(fixture, "x.zip"), "is inside the run" },
		{ fixture_path(fixture, "logs/x.zip"), "is inside the run" },
		{ fs_join(fixture->temp, "none/x.zip"), "there is no directory" },
		{ xstrdup(fixture->temp), "is a directory" },
	};

	below_list(fixture->temp, &before, &(struct err)ERR_INIT);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(bundle_write(fixture->run, cases[i].path, &plain, &err), -1);
		if (!says(&err, cases[i].message))
			fail_msg("'%s' is not '%s'", err.msg, cases[i].message);
		err_clear(&err);
		free(cases[i].path);
	}
	below_list(fixture->temp, &after, &(struct err)ERR_INIT);
	assert_int_equal(after.nr, before.nr);
	strvec_release(&before);
	strvec_release(&after);
}

struct reported {
	int64_t last, total;
	int64_t stop_at; /* -1: never */
};

static bool note_progress(void *data, const char *step, int64_t done, int64_t total)
{
	struct reported *reported = data;

	assert_string_equal(step, "packing the bundle");
	assert_true(done >= reported->last && done <= total);
	reported->last = done;
	reported->total = total;
	return reported->stop_at < 0 || done < reported->stop_at;
}

static void bundle_write__progress__ends_complete_or_stops(void **state)
{
	struct fixture *fixture = *state;
	struct reported reported = { 0, 0, -1 };
	const struct progress progress = { &reported, note_progress };
	struct bundle_options options = { .progress = &progress };
	size_t size = 30000000;
	char *bytes = xcalloc(size, 1);
	struct err err = ERR_INIT;

	fixture_put(fixture, "trace.etl", bytes, size);
	bundle(fixture, &options);
	assert_true(reported.last > reported.total / 2);
	assert_true(reported.total > (int64_t)size);
	assert_int_equal(fs_remove(fixture->zip, &err), 0);
	reported = (struct reported){ 0, 0, 10000000 };
	bundle_fails(fixture, &options, ERR_FAILED, "interrupted by the user");
	assert_true(reported.last < 20000000);
	free(bytes);
}

static void bundle_write__replaces_an_old_bundle__only_by_a_whole_one(void **state)
{
	struct fixture *fixture = *state;
	struct strbuf kept = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_write_atomic(fixture->zip, "old", 3, &err), 0);
	fixture_put(fixture, "logs/stage1.log", "stage 2\n", 8);
	assert_int_equal(bundle_write(fixture->run, fixture->zip, &plain, &err), -1);
	err_clear(&err);
	assert_int_equal(fs_read(fixture->zip, 100, &kept, &err), 0);
	assert_string_equal(kept.buf, "old");
	fixture_put(fixture, "logs/stage1.log", "stage 1\n", 8);
	bundle(fixture, &plain);
	assert_true(fs_size(fixture->zip) > 3);
	strbuf_release(&kept);
}

/* Names at every offset to a read's end, and lines that reach over it. */
static void fill_log(struct fixture *fixture, struct strbuf *expected)
{
	struct strbuf log = STRBUF_INIT;

	for (int i = 0; i < 60000; i++) {
		strbuf_adds(&log, "/home/alice/rust build7\n");
		strbuf_adds(expected, "/home/user/rust host\n");
		for (int k = i % 37; k; k--) {
			strbuf_addc(&log, '.');
			strbuf_addc(expected, '.');
		}
	}
	fixture_put(fixture, "logs/big.log", log.buf, log.len);
	strbuf_release(&log);
}

static struct scrub *new_scrub(void)
{
	struct scrub *scrub = scrub_new();

	scrub_add_user(scrub, "alice");
	scrub_add_home(scrub, "/home/alice");
	scrub_add_host(scrub, "build7");
	return scrub;
}

static void check_hashes(struct run_source *source, const struct manifest *manifest)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < manifest->files_nr; i++) {
		struct strbuf bytes = STRBUF_INIT;
		char sha256[HASH_TEXT_SIZE];

		assert_int_equal(
			run_source_read(source, manifest->files[i].path, 10000000, &bytes, &err),
			0);
		hash_bytes(bytes.buf, bytes.len, sha256);
		assert_string_equal(manifest->files[i].sha256, sha256);
		assert_null(strstr(bytes.buf, "alice"));
		assert_null(strstr(bytes.buf, "build7"));
		strbuf_release(&bytes);
	}
}

static void expect_member(struct run_source *source, const char *member, const char *expected)
{
	struct strbuf bytes = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(run_source_read(source, member, 10000000, &bytes, &err), 0);
	assert_string_equal(bytes.buf, expected);
	strbuf_release(&bytes);
}

static void put_text(struct fixture *fixture, const char *member, const char *text)
{
	fixture_put(fixture, member, text, strlen(text));
}

/* Files of each form that a run has, with private names. */
static void fill_private(struct fixture *fixture)
{
	static const char utf16[] = "\xff\xfe/\0h\0o\0m\0e\0/\0a\0l\0i\0c\0e\0\n";

	put_text(fixture, "config.ini", "[stage2]\nenv.KEY = secret\ncommand = /home/alice/x\n");
	fixture_put(fixture, "logs/utf16.log", utf16, sizeof(utf16));
	put_text(fixture, "logs/build.log", "KEY=secret cmd\nat build7\n");
	fixture_put(fixture, "logs/program.bin",
		    "\x7f"
		    "ELF\0alice",
		    10);
	put_text(fixture, "symbols/functions.txt",
		 "stagetrace-functions 1\nmodule\tb011d7\t/home/alice/lib.so\n"
		 "a0\t2\t_ZN6build71fE\t_ZN5other1gE\n");
	free(fixture->manifest.name);
	fixture->manifest.name = xstrdup("stage2-build7");
	fixture_write_manifest(fixture);
}

/* The scrubbed form of the trace. */
static struct bundle_trace new_trace(void)
{
	static const char text[] = "scrubbed";
	struct bundle_trace trace = { NULL, sizeof(text) - 1, false };
	struct err err = ERR_INIT;
	FILE *file;

	assert_int_equal(scratch_file_open(&trace.file, &err), 0);
	file = scratch_file_stream(trace.file, &err);
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return trace;
}

static void bundle_write__scrubbed__has_no_names_and_right_hashes(void **state)
{
	struct bundle_options options = { .compress = true,
					  .trace = new_trace(),
					  .scrub = new_scrub() };
	struct fixture *fixture = *state;
	struct strbuf expected = STRBUF_INIT;
	struct run_source *source;
	struct manifest manifest;
	struct err err = ERR_INIT;

	fill_log(fixture, &expected);
	fill_private(fixture);
	bundle(fixture, &options);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_true(manifest.scrubbed);
	assert_string_equal(manifest.name, "stage2-host");
	assert_string_equal(manifest.host[0].value, "host");
	assert_true(manifest.removed_nr > 0);
	check_hashes(source, &manifest);
	expect_member(source, "logs/big.log", expected.buf);
	expect_member(source, "config.ini", "[stage2]\nenv.KEY =\ncommand = /home/user/x\n");
	expect_member(source, "logs/build.log", "KEY=removed\nat host\n");
	expect_member(source, "logs/utf16.log", "/home/user\n");
	expect_member(source, "symbols/functions.txt",
		      "stagetrace-functions 1\nmodule\tb011d7\t/home/user/lib.so\n"
		      "a0\t2\t_ZN6xxxxxx1fE\t_ZN5other1gE\n");
	assert_false(run_source_has(source, "logs/program.bin"));
	expect_member(source, "trace.perf.data", "scrubbed");
	manifest_release(&manifest);
	run_source_free(source);
	strbuf_release(&expected);
	scratch_file_close(options.trace.file);
	scrub_free(options.scrub);
}

/* Which modules are foreign is not known then. */
static void bundle_write__scrubbed_without_a_trace__has_no_symbols(void **state)
{
	struct bundle_options options = { .compress = true,
					  .without_trace = true,
					  .scrub = new_scrub() };
	struct fixture *fixture = *state;
	struct run_source *source;
	struct manifest manifest;
	struct err err = ERR_INIT;
	bool listed = false;

	fill_private(fixture);
	bundle(fixture, &options);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_false(run_source_has(source, "trace.perf.data"));
	assert_false(run_source_has(source, "symbols/functions.txt"));
	for (size_t i = 0; i < manifest.removed_nr; i++)
		listed |= !!strstr(manifest.removed[i].what, "names of functions");
	assert_true(listed);
	manifest_release(&manifest);
	run_source_free(source);
	scrub_free(options.scrub);
}

/* Whose home directories there are is learned from all files before the first one is scrubbed. */
static void bundle_write__scrubbed__has_no_names_that_a_later_file_has(void **state)
{
	static const char utf16[] = "\xff\xfe/\0h\0o\0m\0e\0/\0c\0a\0r\0o\0l\0/\0\n\0";
	struct bundle_options options = { .compress = true,
					  .without_trace = true,
					  .scrub = new_scrub() };
	struct fixture *fixture = *state;
	struct run_source *source;
	struct err err = ERR_INIT;

	put_text(fixture, "logs/a.log", "carol david erika\n");
	fixture_put(fixture, "logs/b.log", utf16, sizeof(utf16) - 1);
	put_text(fixture, "logs/c.log", "/home/erika/x");
	fixture->manifest.source = xstrdup("/home/david/rust");
	fixture_write_manifest(fixture);
	bundle(fixture, &options);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	expect_member(source, "logs/a.log", "user3 user2 user4\n");
	expect_member(source, "logs/b.log", "/home/user3/\n");
	expect_member(source, "logs/c.log", "/home/user4/x");
	run_source_free(source);
	scrub_free(options.scrub);
}

/* A process list is decoded, and so are arguments that are not UTF-8. */
static void bundle_write__scrubbed__keeps_processes(void **state)
{
	struct bundle_options options = { .compress = true,
					  .without_trace = true,
					  .scrub = new_scrub() };
	static const char line[] =
		"{\"pid\":1,\"start_ns\":5,\"exe\":\"/home/alice/rustc\",\"crate\":\"core\","
		"\"unknown\":\"alice\",\"argv\":[\"TOKEN=abc\",\"/home/al\\u0069ce/\\ufffd\"],"
		"\"argv_hex\":[null,\"2f686f6d652f616c6963652fe9\"],"
		"\"env\":{\"RUSTC_STAGE\":\"1\",\"KEY\":\"secret\"}}\n";
	struct fixture *fixture = *state;
	struct process_list list = PROCESS_LIST_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;
	int64_t damaged;

	manifest_drop_files(&fixture->manifest);
	fixture_add(fixture, "processes.jsonl", line);
	fixture_write_manifest(fixture);
	bundle(fixture, &options);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_processes(source, &list, &damaged, NULL, &err), 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.v[0]->exe, "/home/user/rustc");
	assert_string_equal(list.v[0]->tag.crate, "core");
	assert_string_equal(list.v[0]->argv.v[0], "TOKEN=removed");
	assert_string_equal(list.v[0]->argv.v[1], "/home/user/\xe9");
	assert_int_equal(list.v[0]->env.nr, 1);
	assert_string_equal(list.v[0]->env.v[0], "RUSTC_STAGE=1");
	process_list_release(&list);
	run_source_free(source);
	scrub_free(options.scrub);
}

static void bundle_write__scrubbed__refuses_a_trace_and_a_large_configuration(void **state)
{
	static const char large[CONFIG_MAX + 1];
	struct bundle_options options = { .compress = true, .scrub = new_scrub() };
	struct fixture *fixture = *state;

	bundle_fails(fixture, &options, ERR_UNSUPPORTED,
		     "trace.perf.data' cannot be scrubbed: --without-trace");
	options.without_trace = true;
	fixture_put(fixture, "config.ini", large, sizeof(large));
	bundle_fails(fixture, &options, ERR_UNSUPPORTED, "config.ini' cannot be scrubbed");
	manifest_drop_files(&fixture->manifest);
	fixture_write_manifest(fixture);
	scrub_free(options.scrub);
}

static void bundle_write__files_of_the_machine__are_packed_as_they_were(void **state)
{
	struct fixture *fixture = *state;
	struct bundle_files files = BUNDLE_FILES_INIT;
	struct bundle_options options = plain;
	char *from = fs_join(fixture->run, "open.sh"), *text;
	int64_t size = fs_size(from);
	struct manifest manifest;
	struct run_source *source;
	struct strbuf content = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_false(bundle_files_has(&files, "symbols/pdb/a"));
	bundle_files_add(&files, from, "symbols/pdb/a", size);
	assert_true(bundle_files_has(&files, "symbols/pdb/a"));
	options.files = &files;
	bundle(fixture, &options);
	assert_int_equal(below_size(fixture->run, "symbols/pdb/a"), -1);
	manifest_init(&manifest);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_manifest(source, &manifest, &err), 0);
	assert_string_equal(manifest.files[manifest.files_nr - 1].path, "symbols/pdb/a");
	assert_int_equal(manifest.files[manifest.files_nr - 1].size, size);
	assert_int_equal(fs_read(from, size, &content, &err), 0);
	text = strbuf_detach(&content);
	expect_member(source, "symbols/pdb/a", text);
	run_source_free(source);
	manifest_release(&manifest);
	assert_int_equal(fs_remove(fixture->zip, &err), 0);

	files.v[0].size++;
	bundle_fails(fixture, &options, ERR_FAILED, "/open.sh' changed while it was packed");
	bundle_files_release(&files);
	free(text);
	free(from);
}

static void bundle_write__no_utf8_name__names_it(void **state)
{
	struct fixture *fixture = *state;
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;
	bool kept = false;

	fixture_put(fixture, "logs/caf\xe9", "", 0);
	assert_int_equal(below_list(fixture->run, &files, &err), 0);
	for (size_t i = 0; i < files.nr; i++)
		kept |= !strcmp(files.v[i], "logs/caf\xe9");
	strvec_release(&files);
	if (!kept) {
		print_message("names of files are UTF-8 here\n");
		skip();
	}
	bundle_fails(fixture, &plain, ERR_FAILED, "cannot pack 'logs/caf\xe9'");
}

static void bundle_write__unzip__finds_it_sound(void **state)
{
	struct fixture *fixture = *state;
	char *command;

	if (system("unzip -v >/dev/null 2>&1")) {
		print_message("unzip is not installed\n");
		skip();
	}
	command = xasprintf("unzip -tq '%s' >/dev/null", fixture->zip);
	fixture_put(fixture, "logs/gr\xc3\xbc\xc3\x9f.log", "hello", 5);
	fixture_put(fixture, "logs/empty.log", "", 0);
	bundle(fixture, &plain);
	assert_int_equal(system(command), 0);
	free(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bundle_write__a_run__has_a_top_directory_and_order),
		TEST(bundle_write__twice__gives_the_same_bytes),
		TEST(bundle_write__methods__are_deflate_or_store),
		TEST(bundle_write__unknown_files__are_in_the_manifest_inside),
		TEST(bundle_write__nothing_to_change__keeps_the_manifest_as_it_is),
		TEST(bundle_write__without_symbols__lists_none),
		TEST(bundle_write__kept_stack_copies__are_left_out),
		TEST(bundle_write__changed_or_missing_file__names_it),
		TEST(bundle_write__bad_places__are_refused),
		TEST(bundle_write__progress__ends_complete_or_stops),
		TEST(bundle_write__replaces_an_old_bundle__only_by_a_whole_one),
		TEST(bundle_write__scrubbed__has_no_names_and_right_hashes),
		TEST(bundle_write__scrubbed_without_a_trace__has_no_symbols),
		TEST(bundle_write__scrubbed__has_no_names_that_a_later_file_has),
		TEST(bundle_write__scrubbed__keeps_processes),
		TEST(bundle_write__scrubbed__refuses_a_trace_and_a_large_configuration),
		TEST(bundle_write__files_of_the_machine__are_packed_as_they_were),
		TEST(bundle_write__no_utf8_name__names_it),
		TEST(bundle_write__unzip__finds_it_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
