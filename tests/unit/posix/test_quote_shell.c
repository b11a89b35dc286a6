/*
 * The output of quote_add_shell(), read by a real shell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/child.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

/* Run "printf '%s|' WORDS..." in sh; what it prints goes to `output`. */
static void print_in_shell(const struct strvec *words, struct strbuf *output)
{
	struct strbuf script = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code;

	strbuf_adds(&script, "printf '%s|' ");
	quote_add_shell(&script, words);
	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, script.buf);
	assert_int_equal(child_capture(&argv, "/", 20 * NS_PER_S, output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	strvec_release(&argv);
	strbuf_release(&script);
}

static void check_words(const char *const *words, size_t count)
{
	struct strbuf expected = STRBUF_INIT, output = STRBUF_INIT;
	struct strvec args = STRVEC_INIT;

	for (size_t i = 0; i < count; i++) {
		strvec_push(&args, words[i]);
		strbuf_addf(&expected, "%s|", words[i]);
	}
	print_in_shell(&args, &output);
	assert_int_equal(output.len, expected.len);
	assert_memory_equal(output.buf, expected.buf, expected.len);
	strbuf_release(&expected);
	strbuf_release(&output);
	strvec_release(&args);
}

static void quote_add_shell__words_of_all_kinds__come_through_a_shell(void **state)
{
	static const char *const words[] = {
		"plain", "",     "a b",   "it's",  "'",       "''",       "\"",    "$HOME",
		"$(id)", "`id`", "a\\b",  "\\",    "a\nb",    "\n",       "*",     "?",
		"[a-z]", "~",    "~root", "#x",    "!!",      "a;b",      "a&b",   "a|b",
		"<x",    ">x",   "(a)",   "{a,b}", "=x",      "a=b",      "-n",    "--",
		"%s",    "\t",   "\xff",  "\x01",  "caf\xe9", "\xc3\xa9", "x\\'y",
	};

	(void)state;
	check_words(words, ARRAY_SIZE(words));
}

static void quote_add_shell__each_single_byte__comes_through_a_shell(void **state)
{
	char text[255][2];
	const char *words[255];

	(void)state;
	for (int c = 1; c < 256; c++) {
		text[c - 1][0] = (char)c;
		text[c - 1][1] = '\0';
		words[c - 1] = text[c - 1];
	}
	check_words(words, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quote_add_shell__words_of_all_kinds__come_through_a_shell),
		cmocka_unit_test(quote_add_shell__each_single_byte__comes_through_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
