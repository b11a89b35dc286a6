#include "platform/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/array.h"

static void exit_code_add_failure__codes__are_worded(void **state)
{
	static const struct {
		int64_t code;
		bool crash;
		const char *text;
	} cases[] = {
		{ 1, false, "failed with exit code 1" },
		{ 101, false, "failed with exit code 101" },
		{ 137, false, "failed with exit code 137" },
		{ 0x80070005, false, "failed with exit code 2147942405" },
		{ 0xc0000005, true, "ended with 0xC0000005 (access violation)" },
		{ 0xc000013a, true, "ended with 0xC000013A (interrupted)" },
		{ 0xc0000409, true, "ended with 0xC0000409 (abort, or stack buffer overrun)" },
		{ 0xc0ffee00, true, "ended with 0xC0FFEE00" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		exit_code_add_failure(&sb, cases[i].code);
		assert_string_equal(sb.buf, cases[i].text);
		assert_int_equal(exit_code_is_crash(cases[i].code), cases[i].crash);
		strbuf_release(&sb);
	}
	assert_false(exit_code_is_crash(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_code_add_failure__codes__are_worded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
