#include "rundir/open_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

#define NONE NULL

static void open_cmd__directories__are_text(void **state)
{
	static const struct {
		const char *dir, *said;
	} cases[] = {
		{ NONE,
		  "set "
		  "\"_NT_SYMBOL_PATH=srv*%~dp0symbols\\pdb;%~dp0symbols;%_NT_SYMBOL_PATH%\"\r\n" },
		{ "C:\\a b & c (x86)^!\\bin", "symbols;C:\\a b & c (x86)^!\\bin;%_NT" },
		{ "C:/rust/bin", "symbols;C:\\rust\\bin;%_NT" },
		{ "C:\\100% of %PATH%", "symbols;C:\\100%% of %%PATH%%;%_NT" },
		/* Of a run that somebody has made up. */
		{ "C:\\\" & calc & \"", "dp0symbols;%_NT" },
		{ "C:\\a\r\ncalc", "dp0symbols;%_NT" },
		{ "C:\\a;b", "dp0symbols;%_NT" },
		{ "\\\\server\\share", "dp0symbols;%_NT" },
		{ "//server/share", "dp0symbols;%_NT" },
		{ "\\??\\UNC\\server\\share", "dp0symbols;%_NT" },
		{ "srv*\\\\server\\share", "dp0symbols;%_NT" },
		{ "https://server/x", "dp0symbols;%_NT" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec dirs = STRVEC_INIT;
		struct strbuf text = STRBUF_INIT;

		if (cases[i].dir)
			strvec_push(&dirs, cases[i].dir);
		open_script_add_cmd(&text, &dirs);
		if (!strstr(text.buf, cases[i].said))
			fail_msg("'%s' is not in:\n%s", cases[i].said, text.buf);
		assert_null(strstr(text.buf, "chcp"));
		strbuf_release(&text);
		strvec_release(&dirs);
	}
}

/* cmd.exe reads a script in the code page of the day. */
static void open_cmd__directory_not_ascii__is_read_as_utf8(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	const char *ask, *set, *path, *back;

	(void)state;
	strvec_push(&dirs, "C:\\r\xc3\xbcst\\bin");
	open_script_add_cmd(&text, &dirs);
	ask = strstr(text.buf, "('chcp') do set \"page=%%c\"\r\n");
	set = strstr(text.buf, "\r\nchcp 65001 >nul\r\n");
	path = strstr(text.buf, ";C:\\r\xc3\xbcst\\bin;");
	back = strstr(text.buf, "\r\nchcp %page% >nul\r\n");
	assert_non_null(ask);
	assert_true(ask < set && set < path && path < back);
	strbuf_release(&text);
	strvec_release(&dirs);
}

static void open_cmd__lines__end_as_windows_has_it(void **state)
{
	struct strvec dirs = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	strvec_push(&dirs, "C:\\r\xc3\xbcst\\bin");
	open_script_add_cmd(&text, &dirs);
	for (const char *s = strchr(text.buf, '\n'); s; s = strchr(s + 1, '\n'))
		assert_int_equal(s[-1], '\r');
	assert_true(strbuf_ends_with(&text, "exit /b 1\r\n"));
	strbuf_release(&text);
	strvec_release(&dirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_cmd__directories__are_text),
		cmocka_unit_test(open_cmd__directory_not_ascii__is_read_as_utf8),
		cmocka_unit_test(open_cmd__lines__end_as_windows_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
