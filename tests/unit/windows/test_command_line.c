#include "platform/windows/command_line.h"

#include "unit/windows/again.h"

/* Each as one argument of a child, and of what the system says it is. */
static const char *const hard[] = {
	"",
	" ",
	"a b",
	"tab\there",
	"\"",
	"say \"hi\" now",
	"back\\slash",
	"ends in \\",
	"C:\\Program Files\\",
	"a\\\\\"b",
	"\\\\\\\"",
	"%PATH% ^& | <x> !y!",
	"*.c",
	"?",
	"@file",
	"\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac",
	"line\r\nbreak",
	"'single'",
	"lone \xed\xa0\x80 surrogate",
	"--a=\"b c\"\\",
};

static void check_same(const struct strvec *argv, const struct strvec *expected)
{
	assert_int_equal(argv->nr, expected->nr);
	for (size_t i = 0; i < argv->nr; i++)
		assert_string_equal(argv->v[i], expected->v[i]);
}

static void command_line_join__hard_cases__are_split_into_the_same(void **state)
{
	struct strvec argv = STRVEC_INIT, again = STRVEC_INIT;
	struct err err = ERR_INIT;
	wchar_t *line;

	(void)state;
	strvec_push(&argv, "C:\\Program Files\\program.exe");
	for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
		strvec_push(&argv, hard[i]);
	assert_int_equal(command_line_join(&argv, &line, &err), 0);
	command_line_split(line, &again);
	check_same(&again, &argv);
	free(line);
	strvec_release(&again);
	strvec_release(&argv);
}

/* Each pair of neighbours and alone: what one argument does must not depend on the other. */
static void command_line_join__pairs__are_split_into_the_same(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hard) * ARRAY_SIZE(hard); i++) {
		struct strvec argv = STRVEC_INIT, again = STRVEC_INIT;
		wchar_t *line;

		strvec_push(&argv, "p");
		strvec_push(&argv, hard[i / ARRAY_SIZE(hard)]);
		strvec_push(&argv, hard[i % ARRAY_SIZE(hard)]);
		assert_int_equal(command_line_join(&argv, &line, &err), 0);
		command_line_split(line, &again);
		check_same(&again, &argv);
		free(line);
		strvec_release(&again);
		strvec_release(&argv);
	}
}

static void command_line_join__arguments__look_like_this(void **state)
{
	static const struct {
		const char *argv[4];
		const wchar_t *line;
	} cases[] = {
		{ { "p" }, L"p" },
		{ { "a b.exe", "c" }, L"\"a b.exe\" c" },
		{ { "C:\\x y\\p", "d\\" }, L"\"C:\\x y\\p\" d\\" },
		{ { "p", "a b\\", "\"" }, L"p \"a b\\\\\" \"\\\"\"" },
		{ { "p", "", "x" }, L"p \"\" x" },
	};
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;
		wchar_t *line;

		for (size_t k = 0; k < 4 && cases[i].argv[k]; k++)
			strvec_push(&argv, cases[i].argv[k]);
		assert_int_equal(command_line_join(&argv, &line, &err), 0);
		if (wcscmp(line, cases[i].line))
			fail_msg("case %u", (unsigned)i);
		free(line);
		strvec_release(&argv);
	}
}

static void command_line_join__what_windows_cannot_take__fails(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *text = xcalloc(1, 32768);
	wchar_t *line;

	(void)state;
	memset(text, 'x', 32764);
	strvec_push(&argv, "p");
	strvec_push(&argv, text);
	assert_int_equal(command_line_join(&argv, &line, &err), 0);
	assert_int_equal(wcslen(line), 32766);
	free(line);
	text[32764] = 'x';
	strvec_remove(&argv, 1);
	strvec_push(&argv, text);
	assert_int_equal(command_line_join(&argv, &line, &err), -1);
	assert_non_null(strstr(err.msg, "32766"));
	err_clear(&err);
	strvec_release(&argv);
	strvec_push(&argv, "a\"b");
	assert_int_equal(command_line_join(&argv, &line, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	strvec_release(&argv);
	free(text);
}

static void command_line_join_batch__arguments__are_quoted_for_cmd(void **state)
{
	static const struct {
		const char *arg;
		const wchar_t *line;
	} cases[] = {
		{ "plain-1.0:x\\y", L" plain-1.0:x\\y" },
		{ "", L" \"\"" },
		{ "a b", L" \"a b\"" },
		{ "a&b|c", L" \"a&b|c\"" },
		{ "end\\", L" \"end\\\\\"" },
		{ "say \"hi\"", L" \"say \"\"hi\"\"\"" },
		{ "a\\\"", L" \"a\\\\\"\"\"" },
		{ "%PATH%", L" \"%%cd:~,%PATH%%cd:~,%\"" },
		{ "\xc3\xa4", L" \"\xe4\"" },
	};
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	wchar_t *line, expected[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strvec_push(&argv, "tool");
		strvec_push(&argv, cases[i].arg);
		assert_int_equal(command_line_join_batch(L"C:\\a b\\t.cmd", &argv, &line, &err), 0);
		wcscpy(expected, L"cmd.exe /e:ON /v:OFF /d /c \"\"C:\\a b\\t.cmd\"");
		wcscat(wcscat(expected, cases[i].line), L"\"");
		if (wcscmp(line, expected)) {
			char *text = wide_to_utf8(line);

			fail_msg("%s", text);
		}
		free(line);
		strvec_release(&argv);
	}
	strvec_push(&argv, "tool");
	strvec_push(&argv, "a\nb");
	assert_int_equal(command_line_join_batch(L"t.cmd", &argv, &line, &err), -1);
	assert_non_null(strstr(err.msg, "'tool'"));
	err_clear(&err);
	strvec_release(&argv);
}

static void command_line_split__foreign_lines__follow_the_rules(void **state)
{
	static const struct {
		const wchar_t *line;
		size_t nr;
		const char *argv[4];
	} cases[] = {
		{ L"", 0, { NULL } },
		{ L"p  a\tb ", 3, { "p", "a", "b" } },
		{ L"\"C:\\a b\\p\" x", 2, { "C:\\a b\\p", "x" } },
		{ L"p \"open", 2, { "p", "open" } },
		{ L"p a\"b c\"d", 2, { "p", "ab cd" } },
		{ L"p a\\b\\\\c", 2, { "p", "a\\b\\\\c" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;

		command_line_split(cases[i].line, &argv);
		assert_int_equal(argv.nr, cases[i].nr);
		for (size_t k = 0; k < argv.nr; k++)
			assert_string_equal(argv.v[k], cases[i].argv[k]);
		strvec_release(&argv);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_line_join__hard_cases__are_split_into_the_same),
		cmocka_unit_test(command_line_join__pairs__are_split_into_the_same),
		cmocka_unit_test(command_line_join__arguments__look_like_this),
		cmocka_unit_test(command_line_join__what_windows_cannot_take__fails),
		cmocka_unit_test(command_line_join_batch__arguments__are_quoted_for_cmd),
		cmocka_unit_test(command_line_split__foreign_lines__follow_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
