#include "util/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "util/array.h"

static void check(FILE *file, const char *expected)
{
	char *text = capture_end(file);

	assert_string_equal(text, expected);
	free(text);
}

static void print_text__lines__stay_lines_and_nothing_else(void **state)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
		{ "", "" },
		{ "no end", "no end" },
		{ "a\n\nb\n", "a\n\nb\n" },
		{ "\x1b]0;title\x07\nb\x1b[2J", "\\x1b]0;title\\x07\nb\\x1b[2J" },
		{ "windows\r\nscript\r\n", "windows\r\nscript\r\n" },
		{ "over\rwritten\n", "over\\x0dwritten\n" },
		{ "gr\xc3\xbcn \xe2\x80\xaetxt\n", "gr\xc3\xbcn \\u202etxt\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		FILE *file = capture_start();

		print_text(file, cases[i].text);
		check(file, cases[i].printed);
	}
}

static void print_wrapped__long_lines__are_broken_between_words(void **state)
{
	FILE *file = capture_start();

	(void)state;
	print_wrapped(file,
		      "range    0 s..10 s, the whole recording\n"
		      "work     nothing worked for 2.50 s, one for 5.00 s\n"
		      "         a_word_that_is_wider_than_the_line \x1b\n"
		      "\n"
		      "lost     nothing\n",
		      30, 9);
	check(file, "range    0 s..10 s, the whole\n"
		    "         recording\n"
		    "work     nothing worked for\n"
		    "         2.50 s, one for\n"
		    "         5.00 s\n"
		    "         a_word_that_is_wider_than_the_line\n"
		    "         \\x1b\n"
		    "\n"
		    "lost     nothing\n");
	file = capture_start();
	print_wrapped(file, "any width, as it is\n", 0, 9);
	check(file, "any width, as it is\n");
}

static void print_textf__arguments__cannot_control_a_terminal(void **state)
{
	FILE *file = capture_start();

	(void)state;
	print_textf(file, "%s, %d\n", "a\x1b[1mb", 7);
	check(file, "a\\x1b[1mb, 7\n");
}

static void print_message__text_of_lines__is_one_line(void **state)
{
	FILE *file = capture_start();

	(void)state;
	print_line(file, "warning: ", "cannot read '%s'", "a\nstagetrace: all is well\x1b[A");
	print_line(file, "", "%s", "");
	check(file, "stagetrace: warning: cannot read 'a\\nstagetrace: all is well\\x1b[A'\n"
		    "stagetrace: \n");
}

static void print_messages__lines__are_a_message_each(void **state)
{
	FILE *file = capture_start();

	(void)state;
	print_lines(file, "note: ", "first\nsecond\x7f");
	print_lines(file, "note: ", "");
	check(file, "stagetrace: note: first\nstagetrace: note: second\\x7f\n");
}

static void print_styled__message__breaks_lines_and_marks_the_kind(void **state)
{
	static const struct print_style narrow = { .width = 30, .bold = false }, bold = { 0, true };
	FILE *file = capture_start();

	(void)state;
	print_styled(file, &narrow, "note: ",
		     "the first words fit, a_word_that_is_wider_than_the_line "
		     "is whole, \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 too");
	print_styled(file, &narrow, "", "a_word_that_is_wider_than_the_line");
	print_styled(file, &bold, "warning: ", "a\x1b[0m line of any length, as long as it may be");
	print_styled(file, &bold, "", "an error");
	check(file,
	      "stagetrace: note: the first\n  words fit,\n  a_word_that_is_wider_than_the_line\n"
	      "  is whole, \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 too\n"
	      "stagetrace:\n  a_word_that_is_wider_than_the_line\n"
	      "stagetrace: \x1b[1mwarning: \x1b[0ma\\x1b[0m line of any length, as long as it may "
	      "be\n"
	      "stagetrace: an error\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_text__lines__stay_lines_and_nothing_else),
		cmocka_unit_test(print_wrapped__long_lines__are_broken_between_words),
		cmocka_unit_test(print_textf__arguments__cannot_control_a_terminal),
		cmocka_unit_test(print_message__text_of_lines__is_one_line),
		cmocka_unit_test(print_styled__message__breaks_lines_and_marks_the_kind),
		cmocka_unit_test(print_messages__lines__are_a_message_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
