#include "rundir/scrub_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrub_lines__modules_of_others__are_called_as_in_the_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
