#include "util/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

#define BAD "\xef\xbf\xbd"

static void utf8_next__first_and_last_of_each_length__are_decoded(void **state)
{
	static const struct {
		const char *text;
		uint32_t c;
		size_t used;
	} cases[] = {
		{ "\x01", 0x01, 1 },
		{ "\x7f", 0x7f, 1 },
		{ "\xc2\x80", 0x80, 2 },
		{ "\xdf\xbf", 0x7ff, 2 },
		{ "\xe0\xa0\x80", 0x800, 3 },
		{ "\xed\x9f\xbf", 0xd7ff, 3 },
		{ "\xee\x80\x80", 0xe000, 3 },
		{ "\xef\xbf\xbf", 0xffff, 3 },
		{ "\xf0\x90\x80\x80", 0x10000, 4 },
		{ "\xf4\x8f\xbf\xbf", 0x10ffff, 4 },
		{ "a\xff", 'a', 1 },
	};
	size_t used;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(utf8_next(cases[i].text, strlen(cases[i].text), &used),
				 cases[i].c);
		assert_int_equal(used, cases[i].used);
	}
	assert_int_equal(utf8_next("\0x", 2, &used), 0);
	assert_int_equal(used, 1);
}

static const char *const damaged[] = {
	"\x80", /* a tail alone */
	"\xbf",
	"\xc0\x80",         /* overlong NUL */
	"\xc1\xbf",         /* overlong 0x7f */
	"\xe0\x9f\xbf",     /* overlong 0x7ff */
	"\xf0\x8f\xbf\xbf", /* overlong 0xffff */
	"\xed\xa0\x80",     /* surrogates */
	"\xed\xbf\xbf",
	"\xf4\x90\x80\x80", /* above 0x10ffff */
	"\xf5\x80\x80\x80",
	"\xf8\x88\x80\x80\x80",
	"\xfe",
	"\xff",
	"\xc2", /* cut */
	"\xc2x",
	"\xe2\x82",
	"\xe2\x82x",
	"\xe2x\xac",
	"\xf0\x9f\x98",
	"\xf0\x9f\x98x",
	"\xf0x",
};

static void utf8_next__damaged__is_one_bad_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		size_t used = 0;

		if (utf8_next(damaged[i], strlen(damaged[i]), &used) != UTF8_BAD || used != 1)
			fail_msg("case %zu", i);
		assert_false(utf8_valid(damaged[i], strlen(damaged[i])));
	}
}

/* The bytes behind `len` would make it whole, but are not to be looked at. */
static void utf8_next__length_ends_within__is_bad(void **state)
{
	static const char whole[] = "\xf0\x9f\x98\x80";
	size_t used;

	(void)state;
	for (size_t len = 1; len < 4; len++)
		assert_int_equal(utf8_next(whole, len, &used), UTF8_BAD);
	assert_int_equal(utf8_next(whole, 4, &used), 0x1f600);
}

static void utf8_valid__whole_texts__are_judged(void **state)
{
	(void)state;
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid("a\0b", 3));
	assert_true(utf8_valid("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", 15));
	assert_false(utf8_valid("ok \xff", 4));
	assert_true(utf8_valid("ok \xff", 3));
}

static void utf8_add_clean__bad_bytes__are_replaced_one_by_one(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{ "", "" },
		{ "plain\n", "plain\n" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "caf\xe9", "caf" BAD },
		{ "\xff\xfe", BAD BAD },
		{ "a\xe2\x82z", "a" BAD BAD "z" },
		{ "\xe2\x82\xc3\xa9", BAD BAD "\xc3\xa9" },
		{ "\xed\xa0\x80", BAD BAD BAD },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		utf8_add_clean(&sb, cases[i].text, strlen(cases[i].text));
		assert_string_equal(sb.buf, cases[i].clean);
		assert_true(utf8_valid(sb.buf, sb.len));
	}
	strbuf_clear(&sb);
	utf8_add_clean(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	strbuf_release(&sb);
}

static void utf8_add_printable__controls__cannot_steer_a_terminal(void **state)
{
	static const struct {
		const char *text, *printable;
	} cases[] = {
		{ "", "" },
		{ "a b", "a b" },
		{ "a\nb\tc", "a\\nb\\tc" },
		{ "\x1b[2J", "\\x1b[2J" },
		{ "\r\b\x7f\x01", "\\x0d\\x08\\x7f\\x01" },
		{ "\xc2\x9b", "\\x9b" },
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\x9b", BAD },
		{ "gr\xc3\xbcn\xff", "gr\xc3\xbcn" BAD },
		{ "cut \xf0\x9f\x98", "cut " BAD BAD BAD },
		{ "\xff<a>~\x7f;b\nc", BAD "<a>~\\x7f;b\\nc" },
		/* the direction of text: bidirectional controls, and ends of lines */
		{ "a\xe2\x80\xaetxt.exe", "a\\u202etxt.exe" },
		{ "lib\xe2\x80\x8b"
		  "c\xc2\xad.so\xef\xbb\xbf",
		  "lib\\u200bc\\xad.so\\ufeff" },
		{ "\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad",
		  "\\u202a\\u202b\\u202c\\u202d" },
		{ "\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9",
		  "\\u2066\\u2067\\u2068\\u2069" },
		{ "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f" },
		{ "x\xe2\x80\xa8y\xe2\x80\xa9", "x\\u2028y\\u2029" },
		{ "\xd8\x9b \xe2\x80\xa7 \xe2\x81\xb0", "\xd8\x9b \xe2\x80\xa7 \xe2\x81\xb0" },
		/* never seen: tags, joiners, variation selectors, fillers */
		{ "a\xf3\xa0\x80\x81\xf3\xa0\x81\xbf", "a\\U000e0001\\U000e007f" },
		{ "\xe2\x80\x8d\xe2\x81\xaa\xef\xb8\x8f\xe3\x85\xa4\xf3\xa0\x87\xaf",
		  "\\u200d\\u206a\\ufe0f\\u3164\\U000e01ef" },
		{ "\xf0\x9f\x98\x80\xf3\x9f\xbf\xbf\xf3\xa1\x80\x80",
		  "\xf0\x9f\x98\x80\xf3\x9f\xbf\xbf\xf3\xa1\x80\x80" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		utf8_add_printable(&sb, cases[i].text);
		assert_string_equal(sb.buf, cases[i].printable);
		strbuf_clear(&sb);
		utf8_add_printable(&sb, cases[i].printable);
		assert_string_equal(sb.buf, cases[i].printable);
	}
	strbuf_release(&sb);
}

static void utf8_add_utf16__surrogates__are_joined_or_replaced(void **state)
{
	static const struct {
		const char *bytes;
		size_t units;
		const char *text;
	} cases[] = {
		{ "", 0, "" },
		{ "a\0\x7f\0\x80\0\xff\x07", 4, "a\x7f\xc2\x80\xdf\xbf" },
		{ "\0\x08\xff\xff\xff\xd7\0\xe0", 4,
		  "\xe0\xa0\x80\xef\xbf\xbf\xed\x9f\xbf\xee\x80\x80" },
		{ "\0\xd8\0\xdc\xff\xdb\xff\xdf", 4, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
		{ "\x3d\xd8\0\xde!\0", 3, "\xf0\x9f\x98\x80!" },
		{ "\0\xdc\0\xd8", 2, BAD BAD },
		{ "\0\xd8\0\xd8\0\xdc", 3, BAD "\xf0\x90\x80\x80" },
		{ "\0\xd8x\0", 2, BAD "x" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_clear(&sb);
		utf8_add_utf16(&sb, (const unsigned char *)cases[i].bytes, cases[i].units);
		assert_string_equal(sb.buf, cases[i].text);
	}
	strbuf_release(&sb);
}

/* Wherever it is in a text that is plain but for it: texts are read several bytes at a time. */
static void utf8_add_printable__one_byte_at_each_place__is_found(void **state)
{
	static const struct {
		char byte;
		const char *printable;
	} cases[] = { { '\x1f', "\\x1f" }, { '\x7f', "\\x7f" }, { '\x80', "\xef\xbf\xbd" },
		      { ' ', " " },        { '~', "~" },        { '\n', "\\n" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t at = 0; at < 20; at++) {
			char text[21] = "abcdefghijklmnopqrst", expected[32];
			struct strbuf sb = STRBUF_INIT;

			snprintf(expected, sizeof(expected), "%.*s%s%s", (int)at, text,
				 cases[i].printable, text + at + 1);
			text[at] = cases[i].byte;
			utf8_add_printable(&sb, text);
			assert_string_equal(sb.buf, expected);
			assert_int_equal(utf8_length(text), 20);
			strbuf_release(&sb);
		}
	}
}

static void utf8_length_and_prefix__bad_bytes__count_as_one(void **state)
{
	static const char text[] = "a\xc3\xa9\xff\xe2\x82\xac\xf0\x9f\x98\x80";
	static const size_t prefix[] = { 0, 1, 3, 4, 7, 11, 11 };

	(void)state;
	assert_int_equal(utf8_length(""), 0);
	assert_int_equal(utf8_length(text), 5);
	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++)
		assert_int_equal(utf8_prefix(text, i), prefix[i]);
	assert_int_equal(utf8_prefix("", 5), 0);
	assert_int_equal(utf8_prefix("\xe2\x82", 1), 1);
	assert_int_equal(utf8_prefix("\xe2\x82", 3), 2);
}

/* A string is read no further than to its NUL, which no sequence that is cut off may hide. */
static void utf8_length__cut_sequences__end_with_the_string(void **state)
{
	static const char whole[] = "a\xf0\x9f\x98\x80";

	(void)state;
	for (size_t len = 1; len < sizeof(whole); len++) {
		char *text = malloc(len + 1);

		assert_non_null(text);
		memcpy(text, whole, len);
		text[len] = '\0';
		assert_int_equal(utf8_length(text), len < 5 ? len : 2);
		assert_int_equal(utf8_prefix(text, 9), len);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_next__first_and_last_of_each_length__are_decoded),
		cmocka_unit_test(utf8_next__damaged__is_one_bad_byte),
		cmocka_unit_test(utf8_next__length_ends_within__is_bad),
		cmocka_unit_test(utf8_valid__whole_texts__are_judged),
		cmocka_unit_test(utf8_add_clean__bad_bytes__are_replaced_one_by_one),
		cmocka_unit_test(utf8_add_printable__controls__cannot_steer_a_terminal),
		cmocka_unit_test(utf8_add_utf16__surrogates__are_joined_or_replaced),
		cmocka_unit_test(utf8_add_printable__one_byte_at_each_place__is_found),
		cmocka_unit_test(utf8_length_and_prefix__bad_bytes__count_as_one),
		cmocka_unit_test(utf8_length__cut_sequences__end_with_the_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
