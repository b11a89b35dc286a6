#include "util/quote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

#define MAX_ARGS 6

static void quote_split__commands__become_arguments(void **state)
{
	static const struct {
		const char *command;
		const char *args[MAX_ARGS];
	} cases[] = {
		{ "", { NULL } },
		{ " \t\r\n ", { NULL } },
		{ "a", { "a" } },
		{ "  a  b\tc\nd\r\n", { "a", "b", "c", "d" } },
		{ "python x.py build --stage 2 -i library",
		  { "python", "x.py", "build", "--stage", "2", "-i" } },
		{ "''", { "" } },
		{ "\"\"", { "" } },
		{ "a '' \"\" b", { "a", "", "", "b" } },
		{ "a''b", { "ab" } },
		{ "'a b' \"c d\"", { "a b", "c d" } },
		{ "a\"b c\"d", { "ab cd" } },
		{ "--set=rust.x='a b'\" c\"", { "--set=rust.x=a b c" } },
		{ "'it\"s' \"it's\"", { "it\"s", "it's" } },
		{ "\"a\\\"b\"", { "a\"b" } },
		{ "\"a\\\\\" b", { "a\\", "b" } },
		{ "\"a\\nb\"", { "a\\nb" } },
		{ "'a\\' b", { "a\\", "b" } },
		{ "'a\\\\b'", { "a\\\\b" } },
		{ "C:\\rust\\x.py \"C:\\Program Files\\py.exe\"",
		  { "C:\\rust\\x.py", "C:\\Program Files\\py.exe" } },
		{ "\\\\server\\share", { "\\\\server\\share" } },
		{ "\"\\\\server\\share\"", { "\\server\\share" } },
		{ "a\\ b", { "a\\", "b" } },
		{ "a\\\"b c\"", { "a\\b c" } },
		{ "sh -c 'a ; b && c' # d", { "sh", "-c", "a ; b && c", "#", "d" } },
		{ "$HOME `x` *", { "$HOME", "`x`", "*" } },
		{ "caf\xe9 \xff", { "caf\xe9", "\xff" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec args = STRVEC_INIT;
		struct err err = ERR_INIT;
		size_t nr = 0;

		assert_int_equal(quote_split(cases[i].command, &args, &err), 0);
		for (; nr < MAX_ARGS && cases[i].args[nr]; nr++) {
			if (nr >= args.nr)
				fail_msg("<%s>: %zu arguments", cases[i].command, args.nr);
			assert_string_equal(args.v[nr], cases[i].args[nr]);
		}
		if (nr < MAX_ARGS)
			assert_int_equal(args.nr, nr);
		strvec_release(&args);
	}
}

/* Those of "x" but the last are of "Parsing C command-line arguments" at learn.microsoft.com. */
static void quote_split_windows__command_lines__become_arguments(void **state)
{
	static const struct {
		const char *command;
		const char *args[MAX_ARGS];
	} cases[] = {
		{ "", { NULL } },
		{ "a", { "a" } },
		{ " a", { "", "a" } },
		{ "a  b\tc ", { "a", "b", "c" } },
		{ "x \"a b c\" d e", { "x", "a b c", "d", "e" } },
		{ "x \"ab\\\"c\" \"\\\\\" d", { "x", "ab\"c", "\\", "d" } },
		{ "x a\\\\\\b d\"e f\"g h", { "x", "a\\\\\\b", "de fg", "h" } },
		{ "x a\\\\\\\"b c d", { "x", "a\\\"b", "c", "d" } },
		{ "x a\\\\\\\\\"b c\" d e", { "x", "a\\\\b c", "d", "e" } },
		{ "x a\"b\"\" c d", { "x", "ab\" c d" } },
		{ "x \"\" b", { "x", "", "b" } },
		{ "\"C:\\Program Files\\a.exe\" --edition=2021",
		  { "C:\\Program Files\\a.exe", "--edition=2021" } },
		{ "\"C:\\dir\\\" b", { "C:\\dir\\", "b" } },
		{ "rustc --cfg 'a b' --cfg \"feature=\\\"x\\\"\"",
		  { "rustc", "--cfg", "'a", "b'", "--cfg", "feature=\"x\"" } },
		{ "a \"b c", { "a", "b c" } },
		{ "a b\\", { "a", "b\\" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec args = STRVEC_INIT;
		size_t nr = 0;

		quote_split_windows(cases[i].command, &args);
		for (; nr < MAX_ARGS && cases[i].args[nr]; nr++) {
			if (nr >= args.nr)
				fail_msg("<%s>: %zu arguments", cases[i].command, args.nr);
			assert_string_equal(args.v[nr], cases[i].args[nr]);
		}
		assert_int_equal(args.nr, nr);
		strvec_release(&args);
	}
}

static void quote_add_split__any_words__are_split_into_the_same(void **state)
{
	static const char *const words[] = {
		"a",
		"",
		"a b",
		"it's",
		"say \"hi\"",
		"C:\\dir\\",
		"C:\\Program Files\\x\\",
		"\\\\",
		"\\\"",
		"'\"",
		"tab\tin",
		"$HOME",
		"a;b # c",
	};
	struct strvec args = STRVEC_INIT, again = STRVEC_INIT;
	struct strbuf command = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strvec_push(&args, words[i]);
	quote_add_split(&command, &args);
	assert_int_equal(quote_split(command.buf, &again, &err), 0);
	assert_int_equal(again.nr, args.nr);
	for (size_t i = 0; i < args.nr; i++)
		assert_string_equal(again.v[i], args.v[i]);
	strbuf_release(&command);
	strvec_release(&args);
	strvec_release(&again);
}

static void quote_split__open_quote__is_an_error(void **state)
{
	static const char *const cases[] = { "'",       "\"",      "a 'b",  "a \"b c",
					     "'a\\'b'", "\"a\\\"", "\"a\\", "a'" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec args = STRVEC_INIT;
		struct err err = ERR_INIT;

		if (quote_split(cases[i], &args, &err) != -1)
			fail_msg("<%s> was taken", cases[i]);
		assert_int_equal(err.code, ERR_USAGE);
		err_clear(&err);
		strvec_release(&args);
	}
}

static void quote_split__more_arguments__are_put_behind(void **state)
{
	struct strvec args = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strvec_push(&args, "first");
	assert_int_equal(quote_split("second third", &args, &err), 0);
	assert_int_equal(args.nr, 3);
	assert_string_equal(args.v[0], "first");
	assert_null(args.v[3]);
	strvec_release(&args);
}

static void quote_add_word__only_where_needed__quotes(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "", "''" },
		{ "a", "a" },
		{ "--set=rust.lto=off", "--set=rust.lto=off" },
		{ "/usr/bin/cc,a:b@c%d^e+f_g-h", "/usr/bin/cc,a:b@c%d^e+f_g-h" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "'", "''\\'''" },
		{ "~", "'~'" },
		{ "$x", "'$x'" },
		{ "a\\b", "'a\\b'" },
		{ "a\nb", "'a\nb'" },
		{ "*", "'*'" },
		{ "#", "'#'" },
		{ "!", "'!'" },
		{ "{a}", "'{a}'" },
		{ "\xff", "'\xff'" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		quote_add_word(&sb, cases[i].word);
		assert_string_equal(sb.buf, cases[i].quoted);
	}
	strbuf_release(&sb);
}

static void quote_add_shell__no_arguments__adds_nothing(void **state)
{
	struct strvec args = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	quote_add_shell(&sb, &args);
	assert_string_equal(sb.buf, "");
	strvec_push(&args, "a b");
	strvec_push(&args, "");
	strvec_push(&args, "c");
	quote_add_shell(&sb, &args);
	assert_string_equal(sb.buf, "'a b' '' c");
	strbuf_release(&sb);
	strvec_release(&args);
}

static void quote_add_windows__any_arguments__are_split_into_the_same(void **state)
{
	static const struct {
		const char *args[4];
		const char *line;
	} cases[] = {
		{ { "rustc", "-o", "a.o" }, "rustc -o a.o" },
		{ { "/a b/rustc", "", "a b" }, "\"/a b/rustc\" \"\" \"a b\"" },
		{ { "cc", "it's", "a\\b", "a\\ b\\" }, "cc it's a\\b \"a\\ b\\\\\"" },
		{ { "cc", "-DX=\"y\"", "\\\"" }, "cc \"-DX=\\\"y\\\"\" \"\\\\\\\"\"" },
		{ { "a\\", "\t", "a\nb" }, "a\\ \"\t\" \"a\nb\"" },
	};
	struct strbuf line = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec args = STRVEC_INIT, again = STRVEC_INIT;

		for (size_t k = 0; k < ARRAY_SIZE(cases[i].args) && cases[i].args[k]; k++)
			strvec_push(&args, cases[i].args[k]);
		strbuf_clear(&line);
		quote_add_windows(&line, &args);
		assert_string_equal(line.buf, cases[i].line);
		quote_split_windows(line.buf, &again);
		assert_int_equal(again.nr, args.nr);
		for (size_t k = 0; k < args.nr; k++)
			assert_string_equal(again.v[k], args.v[k]);
		strvec_release(&args);
		strvec_release(&again);
	}
	strbuf_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quote_split__commands__become_arguments),
		cmocka_unit_test(quote_split_windows__command_lines__become_arguments),
		cmocka_unit_test(quote_add_split__any_words__are_split_into_the_same),
		cmocka_unit_test(quote_split__open_quote__is_an_error),
		cmocka_unit_test(quote_split__more_arguments__are_put_behind),
		cmocka_unit_test(quote_add_word__only_where_needed__quotes),
		cmocka_unit_test(quote_add_windows__any_arguments__are_split_into_the_same),
		cmocka_unit_test(quote_add_shell__no_arguments__adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
