#include "util/ascii.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Where it is among these, from 0 on; -1. */
static int place_in(const char *chars, char c)
{
	const char *at = c ? strchr(chars, c) : NULL;

	return at ? (int)(at - chars) : -1;
}

static void ascii__every_character__is_what_it_is(void **state)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz";

	(void)state;
	for (int i = CHAR_MIN; i <= CHAR_MAX; i++) {
		char c = (char)i;
		int letter = place_in(upper, c);

		assert_int_equal(ascii_is_digit(c), place_in("0123456789", c) >= 0);
		assert_int_equal(ascii_is_blank(c), place_in(" \t", c) >= 0);
		assert_int_equal(ascii_lower(c), letter < 0 ? c : lower[letter]);
		assert_int_equal(ascii_hex_digit(c), place_in("0123456789abcdef", c));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii__every_character__is_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
