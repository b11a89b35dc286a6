#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/shell.h"
#include "util/array.h"

static void shell_add_word__words__are_quoted_where_cmd_needs_it(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "C:\\runs\\a-1.zip", "C:\\runs\\a-1.zip" },
		{ "C:\\my runs\\", "\"C:\\my runs\\\\\"" },
		{ "", "\"\"" },
		{ "a&b", "\"a&b\"" },
		{ "say \"a\\\"", "\"say \\\"a\\\\\\\"\"" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		shell_add_word(&sb, cases[i].word);
		assert_string_equal(sb.buf, cases[i].quoted);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shell_add_word__words__are_quoted_where_cmd_needs_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
