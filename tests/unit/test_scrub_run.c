#include "rundir/scrub_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

/* The list of modules has the ids and paths that the trace has, so that views find the functions. */
static void scrub_lines__modules_of_others__are_called_as_in_the_trace(void **state)
{
	const char text[] = "module\ta1b2\t/opt/one\n"
			    "10\t20\tname\n"
			    "module\ta1b3\t/opt/vmlinux\tkernel\n"
			    "module\t-\t/opt/three\n";
	const char expected[] = "module\t0000000000000000000000000000000000000001\t/other/1\n"
				"10\t20\tother_10\n"
				"module\ta1b3\t/opt/vmlinux\tkernel\n"
				"module\t-\t/other/2\n";
	struct scrub *scrub = scrub_new();
	struct strbuf to = STRBUF_INIT;
	struct scrub_lines lines;

	(void)state;
	scrub_hide_path(scrub, "/opt/one");
	scrub_hide_path(scrub, "/opt/three");
	assert_int_equal(scrub_hide_id(scrub, "a1b2"), 1);
	scrub_lines_init(&lines, scrub, "symbols/functions.txt");
	scrub_lines_add(&lines, text, sizeof(text) - 1, &to);
	assert_string_equal(to.buf, expected);
	strbuf_release(&to);
	scrub_free(scrub);
}

static void check(const char *file, const char *from, const char *to)
{
	struct scrub *scrub = scrub_new();
	struct strbuf made = STRBUF_INIT;
	struct scrub_lines lines;

	scrub_add_host(scrub, "build7");
	scrub_hide_path(scrub, "/opt/one");
	scrub_lines_init(&lines, scrub, file);
	scrub_lines_add(&lines, from, strlen(from), &made);
	assert_string_equal(made.buf, to);
	strbuf_release(&made);
	scrub_free(scrub);
}

static void scrub_lines__damaged_lines__are_removed(void **state)
{
	static const struct {
		const char *file, *from, *to;
	} cases[] = {
		{ "functions", "stagetrace-functions 1", "stagetrace-functions 1" },
		{ "functions", "stagetrace-functions build7", "damaged" },
		{ "functions", "build7\tbuild7", "damaged" },
		{ "functions", "build7\t1\tf", "damaged" },
		{ "functions", "1\tbuild7\tf", "damaged" },
		{ "functions", "module\tbuild7\t/a", "module\tdamaged" },
		{ "functions", "module\t-\t/a\tbuild7", "module\tdamaged" },
		{ "functions", "module\t-\t/a\\x", "module\tdamaged" },
		{ "lines", "12\t0:0:1\tbuild7", "damaged" },
		{ "lines", "12\t0:0:1\t-:1:2\t3:-:1", "12\t0:0:1\t-:1:2\t3:-:1" },
		{ "lines", "file\tbuild7\t/a", "file\tdamaged" },
		{ "stacks", "frame\tbuild7", "frame\tdamaged" },
		{ "stacks", "stack\t1\tbuild7", "stack\tdamaged" },
		{ "stacks", "copy\tff\t2\twhole", "copy\tff\t2\twhole" },
		{ "stacks", "copy\tff\t2\tbuild7", "copy\tdamaged" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *file = xasprintf("symbols/%s.txt", cases[i].file);

		check(file, cases[i].from, cases[i].to);
		free(file);
	}
}

/* A name may look like a number. */
static void scrub_lines__modules_of_others__have_no_names(void **state)
{
	(void)state;
	check("symbols/functions.txt",
	      "module\tA1B2\t/opt/one\n"
	      "10\t20\tsecret\n"
	      "30\t5\tadd\n"
	      "1A\t20\tfeed\tdecade\n"
	      "1x\t20\tsecret\n",
	      "module\tA1B2\t/other/1\n"
	      "10\t20\tother_10\n"
	      "30\t5\tother_30\n"
	      "1A\t20\tother_1A\n"
	      "damaged\n");
	check("symbols/functions.txt",
	      "module\t-\t/opt/two\n"
	      "30\t5\tadd\n"
	      "module\t?\t/opt/one\n"
	      "30\t5\tsecret\n",
	      "module\t-\t/opt/two\n"
	      "30\t5\tadd\n"
	      "module\tdamaged\n"
	      "30\t5\tother_30\n");
	check("symbols/lines.txt",
	      "module\t-\t/opt/one\n"
	      "name\t1\tadd\n"
	      "name\t1x\tsecret\n",
	      "module\t-\t/other/1\n"
	      "name\t1\tother_1\n"
	      "name\tdamaged\n");
}

static void scrub_lines__path_with_a_backslash__is_that_of_the_trace(void **state)
{
	struct scrub *scrub = scrub_new();
	struct strbuf made = STRBUF_INIT;
	struct scrub_lines lines;
	const char from[] = "module\t-\t/opt/a\\\\b\\tc\n1\t2\tsecret\nmodule\t-\t/x\\\\y\n";

	(void)state;
	scrub_hide_path(scrub, "/opt/a\\b\tc");
	scrub_lines_init(&lines, scrub, "symbols/functions.txt");
	scrub_lines_add(&lines, from, strlen(from), &made);
	assert_string_equal(made.buf, "module\t-\t/other/1\n1\t2\tother_1\nmodule\t-\t/x\\\\y\n");
	strbuf_release(&made);
	scrub_free(scrub);
}

static void scrub_lines__bootstrap_toml__has_no_secrets_and_comments(void **state)
{
	(void)state;
	check("bootstrap.toml",
	      "# of build7\n"
	      "[build]\n"
	      "  # secret\n"
	      "sign-password = \"secret\"\n"
	      "cc = \"env AWS_SECRET_ACCESS_KEY=secret cc\"\n"
	      "jobs = 2\n",
	      "\n"
	      "[build]\n"
	      "\n"
	      "sign-password = removed\n"
	      "cc = \"env AWS_SECRET_ACCESS_KEY=removed cc\"\n"
	      "jobs = 2\n");
}

static void scrub_lines__key_that_is_a_secret__has_no_value(void **state)
{
	(void)state;
	check("config.ini", "[bootstrap]\n-token a.b=\n",
	      "[bootstrap]\n-token removed = -token removed\n");
	check("config.ini", "[bootstrap]\nrust.token = secret\n",
	      "[bootstrap]\nrust.token = removed\n");
}

static void scrub_from_utf16__any_bytes__become_utf8(void **state)
{
	static const struct {
		const char *from;
		size_t len;
		const char *to;
	} cases[] = {
		{ "", 0, "" },
		{ "\xff", 1, "" },
		{ "\xff\xfe", 2, "" },
		{ "\xff\xfe"
		  "a\0b",
		  5, "a" },
		{ "a\0b\0", 4, "ab" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, cases[i].from, cases[i].len);
		scrub_from_utf16(&text);
		assert_string_equal(text.len ? text.buf : "", cases[i].to);
		strbuf_release(&text);
	}
}

/* A reason is found by the path and id that the trace has; details name any files of the machine. */
static void scrub_manifest__modules_without_names__are_called_as_in_the_trace(void **state)
{
	struct scrub *scrub = scrub_new();
	struct manifest manifest;
	char *text;

	(void)state;
	scrub_add_user(scrub, "alice");
	scrub_hide_path(scrub, "/opt/one");
	assert_int_equal(scrub_hide_id(scrub, "a1b2"), 1);
	manifest_init(&manifest);
	manifest_add_unnamed(&manifest, "/opt/one", "a1b2", "stripped", "no symbols");
	manifest_add_unnamed(&manifest, "/home/alice/x.so", "a1b3", "no-file", NULL);
	manifest_add_unnamed(&manifest, "C:\\a.dll", NULL, "other-pdb",
			     "its PDB 12 was not found; D:\\secret.pdb is 13");
	scrub_manifest(scrub, &manifest);
	assert_int_equal(manifest.unnamed_nr, 3);
	assert_string_equal(manifest.unnamed[0].path, "/other/1");
	assert_string_equal(manifest.unnamed[0].build_id,
			    "0000000000000000000000000000000000000001");
	assert_string_equal(manifest.unnamed[0].reason, "stripped");
	assert_string_equal(manifest.unnamed[1].build_id, "a1b3");
	text = manifest_text(&manifest);
	assert_null(strstr(text, "alice"));
	assert_null(strstr(text, "secret"));
	assert_non_null(strstr(text, "\"details of why modules have no names\""));
	free(text);
	manifest_release(&manifest);
	scrub_free(scrub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrub_lines__modules_of_others__are_called_as_in_the_trace),
		cmocka_unit_test(scrub_lines__damaged_lines__are_removed),
		cmocka_unit_test(scrub_lines__modules_of_others__have_no_names),
		cmocka_unit_test(scrub_lines__path_with_a_backslash__is_that_of_the_trace),
		cmocka_unit_test(scrub_lines__bootstrap_toml__has_no_secrets_and_comments),
		cmocka_unit_test(scrub_lines__key_that_is_a_secret__has_no_value),
		cmocka_unit_test(scrub_manifest__modules_without_names__are_called_as_in_the_trace),
		cmocka_unit_test(scrub_from_utf16__any_bytes__become_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
