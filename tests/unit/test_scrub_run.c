#include "rundir/scrub_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

/* The list of modules has the ids and paths that the trace has, so that views find the functions. */
static void scrub_lines__modules_of_others__are_called_as_in_the_trace(void **state)
{
	const char text[] = "module\ta1b2\t/opt/one\n"
			    "10 20 name\n"
			    "module\ta1b3\t/opt/vmlinux\tkernel\n"
			    "module\t-\t/opt/three\n";
	const char expected[] = "module\t0000000000000000000000000000000000000001\t/other/1\n"
				"10 20 name\n"
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

/* Private names are not left in what no reader of ours understands. */
static void scrub_lines__damaged_lines__have_no_names(void **state)
{
	static const struct {
		const char *file, *from, *to;
	} cases[] = {
		{ "symbols/functions.txt", "stagetrace-functions 1", "stagetrace-functions 1" },
		{ "symbols/functions.txt", "stagetrace-functions build7",
		  "stagetrace-functions host" },
		{ "symbols/functions.txt", "build7\tbuild7", "host\thost" },
		{ "symbols/functions.txt", "build7\t1\tf", "host\t1\tf" },
		{ "symbols/functions.txt", "1\tbuild7\tf", "1\thost\tf" },
		{ "symbols/functions.txt", "module\tbuild7\t/a", "module\thost\t/a" },
		{ "symbols/functions.txt", "module\t-\t/a\tbuild7", "module\t-\t/a\thost" },
		{ "symbols/lines.txt", "12\t0:0:1\tbuild7", "12\t0:0:1\txxxxxx" },
		{ "symbols/lines.txt", "12\t0:0:1\t-:1:2\t3:-:1", "12\t0:0:1\t-:1:2\t3:-:1" },
		{ "symbols/lines.txt", "file\tbuild7\t/a", "file\thost\t/a" },
		{ "symbols/stacks.txt", "frame\tbuild7", "frame\thost" },
		{ "symbols/stacks.txt", "stack\t1\tbuild7", "stack\t1\thost" },
		{ "symbols/stacks.txt", "copy\tff\t2\twhole", "copy\tff\t2\twhole" },
		{ "symbols/stacks.txt", "copy\tff\t2\tbuild7", "copy\tff\t2\thost" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scrub *scrub = scrub_new();
		struct strbuf to = STRBUF_INIT;
		struct scrub_lines lines;

		scrub_add_host(scrub, "build7");
		scrub_lines_init(&lines, scrub, cases[i].file);
		scrub_lines_add(&lines, cases[i].from, strlen(cases[i].from), &to);
		assert_string_equal(to.buf, cases[i].to);
		strbuf_release(&to);
		scrub_free(scrub);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrub_lines__modules_of_others__are_called_as_in_the_trace),
		cmocka_unit_test(scrub_lines__damaged_lines__have_no_names),
		cmocka_unit_test(scrub_from_utf16__any_bytes__become_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
