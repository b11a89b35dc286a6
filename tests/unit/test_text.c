#include "util/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

#define KB INT64_C(1024)
#define MB (KB * 1024)
#define GB (MB * 1024)
#define TB (GB * 1024)

#define MINUTE (60 * NS_PER_S)
#define HOUR   (60 * MINUTE)

/* What a parser makes of `text`; REFUSED where it returns false. */
#define REFUSED INT64_MIN

struct number_case {
	const char *text;
	int64_t bare_unit;
	int64_t value;
};

static void check_numbers(bool (*parse)(const char *, int64_t, int64_t *),
			  const struct number_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value = 4711;
		bool ok = parse(cases[i].text, cases[i].bare_unit, &value);

		if (ok != (cases[i].value != REFUSED) || value != (ok ? cases[i].value : 4711))
			fail_msg("'%s': %d, %lld", cases[i].text, ok, (long long)value);
	}
}

static void text_parse_size__each_way_to_write_one__is_bytes(void **state)
{
	static const struct number_case cases[] = {
		{ "0", 1, 0 },
		{ "512", 1, 512 },
		{ "512", MB, 512 * MB },
		{ "512 B", MB, 512 },
		{ "4KB", 1, 4 * KB },
		{ "4k", 1, 4 * KB },
		{ "4 kib", 1, 4 * KB },
		{ "16MiB", 1, 16 * MB },
		{ "1.5 GB", 1, GB + GB / 2 },
		{ "0.5kb", 1, 512 },
		{ ".5kb", 1, 512 },
		{ "40G", 1, 40 * GB },
		{ "2tb", 1, 2 * TB },
		{ " \t7 mb \t", 1, 7 * MB },
		{ "00010", 1, 10 },
		{ "8300000 TB", 1, 8300000 * TB },
	};

	(void)state;
	check_numbers(text_parse_size, cases, ARRAY_SIZE(cases));
}

static void text_parse_size__no_size__is_refused(void **state)
{
	static const struct number_case cases[] = {
		{ "", 1, REFUSED },
		{ " ", 1, REFUSED },
		{ "KB", 1, REFUSED },
		{ "-5", 1, REFUSED },
		{ "+5", 1, REFUSED },
		{ "1e9", 1, REFUSED },
		{ "0x10", 1, REFUSED },
		{ "inf", 1, REFUSED },
		{ "nan", 1, REFUSED },
		{ "1.", 1, REFUSED },
		{ "1.2.3", 1, REFUSED },
		{ "1,5 GB", 1, REFUSED },
		{ "5 XB", 1, REFUSED },
		{ "5 KBs", 1, REFUSED },
		{ "5KB 3", 1, REFUSED },
		{ "5KB 3MB", 1, REFUSED },
		{ "5%", 1, REFUSED },
		{ "5 abcdefghijklmnopqrst", 1, REFUSED },
		{ "8388608 TB", 1, REFUSED },
		{ "9999999999999999999999999", 1, REFUSED },
		{ "1000000000000000000000000000000000000000000000000000000", 1, REFUSED },
	};

	(void)state;
	check_numbers(text_parse_size, cases, ARRAY_SIZE(cases));
}

static void text_parse_duration__each_way_to_write_one__is_nanoseconds(void **state)
{
	static const struct number_case cases[] = {
		{ "250us", 0, 250 * NS_PER_US },
		{ "1ms", 0, NS_PER_MS },
		{ "12.5s", 0, 12 * NS_PER_S + NS_PER_S / 2 },
		{ "3m20s", 0, 3 * MINUTE + 20 * NS_PER_S },
		{ "1h 30 m", 0, HOUR + 30 * MINUTE },
		{ "1h30m5s250ms", 0, HOUR + 30 * MINUTE + 5 * NS_PER_S + 250 * NS_PER_MS },
		{ "4h", 0, 4 * HOUR },
		{ "2 days", 0, 48 * HOUR },
		{ "1 Minute", 0, MINUTE },
		{ "90 SEC", 0, 90 * NS_PER_S },
		{ "1m59.5s", 0, 119 * NS_PER_S + NS_PER_S / 2 },
		{ "99m0s", 0, 99 * MINUTE },
		{ "1h5s", 0, HOUR + 5 * NS_PER_S },
		{ "7ns", 0, 7 },
		{ "0", NS_PER_S, 0 },
		{ "2.5", NS_PER_S, 2 * NS_PER_S + NS_PER_S / 2 },
	};

	(void)state;
	check_numbers(text_parse_duration, cases, ARRAY_SIZE(cases));
}

static void text_parse_duration__no_duration__is_refused(void **state)
{
	static const struct number_case cases[] = {
		{ "", NS_PER_S, REFUSED },
		{ "5", 0, REFUSED },
		{ "-5s", NS_PER_S, REFUSED },
		{ "s", NS_PER_S, REFUSED },
		{ "1h 30", NS_PER_S, REFUSED },
		{ "1h-5m", NS_PER_S, REFUSED },
		{ "1:30", NS_PER_S, REFUSED },
		{ "3 weeks", NS_PER_S, REFUSED },
		{ "1e3s", NS_PER_S, REFUSED },
		{ "5ss", NS_PER_S, REFUSED },
		{ "200000 days", NS_PER_S, REFUSED },
		{ "100000 days 100000 days", NS_PER_S, REFUSED },
		/* units in no order, twice, or with more than one of the larger unit */
		{ "1s1m", NS_PER_S, REFUSED },
		{ "1m1m", NS_PER_S, REFUSED },
		{ "1m99s", NS_PER_S, REFUSED },
		{ "1m60s", NS_PER_S, REFUSED },
		{ "1h90m", NS_PER_S, REFUSED },
		{ "1h30m60s", NS_PER_S, REFUSED },
		{ "1.5m20s", NS_PER_S, REFUSED },
	};

	(void)state;
	check_numbers(text_parse_duration, cases, ARRAY_SIZE(cases));
}

static bool parse_moment(const char *s, int64_t unit, int64_t *ns)
{
	(void)unit;
	return text_parse_moment(s, ns);
}

static void text_parse_moment__seconds_durations_colons(void **state)
{
	static const struct number_case cases[] = {
		{ "12.5", 0, 12 * NS_PER_S + NS_PER_S / 2 },
		{ "3m 20s", 0, 3 * MINUTE + 20 * NS_PER_S },
		{ "3:31.25", 0, 3 * MINUTE + 31 * NS_PER_S + NS_PER_S / 4 },
		{ " 0:07 ", 0, 7 * NS_PER_S },
		{ "90:00", 0, 90 * MINUTE },
		{ "1:02:03.000000001", 0, HOUR + 2 * MINUTE + 3 * NS_PER_S + 1 },
		{ "", 0, REFUSED },
		{ ":", 0, REFUSED },
		{ "1:", 0, REFUSED },
		{ ":30", 0, REFUSED },
		{ "1:60", 0, REFUSED },
		{ "1:60:00", 0, REFUSED },
		{ "1.5:30", 0, REFUSED },
		{ "1:2:3:4", 0, REFUSED },
		{ "1:30s", 0, REFUSED },
		{ "1m:30", 0, REFUSED },
		{ "-1:30", 0, REFUSED },
		{ "1 :30", 0, REFUSED },
		{ "9999999999:00:00", 0, REFUSED },
	};

	(void)state;
	check_numbers(parse_moment, cases, ARRAY_SIZE(cases));
}

static void text_parse_int__borders__are_kept(void **state)
{
	static const struct {
		const char *text;
		int64_t min, max;
		bool ok;
		int64_t value;
	} cases[] = {
		{ "0", 0, 10, true, 0 },
		{ "10", 0, 10, true, 10 },
		{ "11", 0, 10, false, 0 },
		{ "-1", 0, 10, false, 0 },
		{ "-1", -1, 10, true, -1 },
		{ "007", 0, 10, true, 7 },
		{ "9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX },
		{ "9223372036854775808", INT64_MIN, INT64_MAX, false, 0 },
		{ "-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN },
		{ "-9223372036854775809", INT64_MIN, INT64_MAX, false, 0 },
		{ "", 0, 10, false, 0 },
		{ "-", -10, 10, false, 0 },
		{ "--5", -10, 10, false, 0 },
		{ "+5", 0, 10, false, 0 },
		{ " 5", 0, 10, false, 0 },
		{ "5 ", 0, 10, false, 0 },
		{ "5x", 0, 10, false, 0 },
		{ "5.0", 0, 10, false, 0 },
		{ "0x5", 0, 10, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t value = 4711;
		bool ok = text_parse_int(cases[i].text, cases[i].min, cases[i].max, &value);

		if (ok != cases[i].ok || value != (ok ? cases[i].value : 4711))
			fail_msg("'%s': %d, %lld", cases[i].text, ok, (long long)value);
	}
}

static void text_parse_bool__words__are_distinguished(void **state)
{
	static const char *const yes[] = { "yes", "YES", "true", "True", "on", "1" };
	static const char *const no[] = { "no", "No", "false", "FALSE", "off", "0" };
	static const char *const neither[] = { "", "y", "n", "2", "yes ", "onn", "t", "01" };
	bool value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		value = false;
		assert_true(text_parse_bool(yes[i], &value) && value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		value = true;
		assert_true(text_parse_bool(no[i], &value) && !value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(neither); i++)
		assert_false(text_parse_bool(neither[i], &value));
}

struct format_case {
	int64_t value;
	const char *text;
};

static void check_formats(void (*add)(struct strbuf *, int64_t), const struct format_case *cases,
			  size_t count)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < count; i++) {
		strbuf_clear(&sb);
		add(&sb, cases[i].value);
		assert_string_equal(sb.buf, cases[i].text);
	}
	strbuf_release(&sb);
}

static void text_add_hex__bytes__two_digits_each(void **state)
{
	const unsigned char bytes[] = { 0x00, 0x0f, 0xa5, 0xff };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_adds(&sb, "x");
	text_add_hex(&sb, bytes, 0);
	assert_string_equal(sb.buf, "x");
	text_add_hex(&sb, bytes, sizeof(bytes));
	assert_string_equal(sb.buf, "x000fa5ff");
	strbuf_release(&sb);
}

static void text_parse_hex__digits__are_bytes(void **state)
{
	static const char *const others[] = { "0", "0x", "0F", "00112", "001122" };
	unsigned char bytes[2] = { 1, 2 };
	size_t nr = 9;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(text_parse_hex(others[i], bytes, sizeof(bytes), &nr));
	assert_int_equal(nr, 9);
	assert_true(text_parse_hex("a0f1", bytes, sizeof(bytes), &nr));
	assert_int_equal(nr, 2);
	assert_int_equal(bytes[0], 0xa0);
	assert_int_equal(bytes[1], 0xf1);
	assert_true(text_parse_hex("", bytes, sizeof(bytes), &nr));
	assert_int_equal(nr, 0);
}

static void text_add_bytes__rounding_borders__stay_three_figures(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0 B" },
		{ 1, "1 B" },
		{ 999, "999 B" },
		{ 1000, "0.98 KB" },
		{ 1023, "1.00 KB" },
		{ 1024, "1.00 KB" },
		{ 10234, "9.99 KB" },
		{ 10235, "10.0 KB" },
		{ 102348, "99.9 KB" },
		{ 102349, "100 KB" },
		{ 1023487, "999 KB" },
		{ 1023488, "0.98 MB" },
		{ GB + GB / 2, "1.50 GB" },
		{ 317 * MB, "317 MB" },
		{ 999 * GB + GB / 2, "0.98 TB" },
		{ INT64_MAX, "8.00 EB" },
		{ INT64_MIN, "-8.00 EB" },
		{ -1, "-1 B" },
		{ -999, "-999 B" },
		{ -1024, "-1.00 KB" },
		{ -317 * MB, "-317 MB" },
	};

	(void)state;
	check_formats(text_add_bytes, cases, ARRAY_SIZE(cases));
}

/* To the nanosecond, so that it can be given back. */
static void text_add_moment__is_parsed_back(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0s" },
		{ 1, "0.000000001s" },
		{ 12500 * NS_PER_MS, "12.5s" },
		{ MINUTE, "1m00s" },
		{ 12 * MINUTE + NS_PER_S + 234567891, "12m01.234567891s" },
		{ HOUR + 59 * NS_PER_S + 999999999, "1h00m59.999999999s" },
		{ 100 * HOUR + 2 * MINUTE, "100h02m00s" },
	};

	(void)state;
	check_formats(text_add_moment, cases, ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t ns = -1;

		assert_true(text_parse_moment(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].value);
	}
}

/* Halves, whose last bit decides, and their neighbours; signs; very large and not finite ones. */
static void text_add_fixed__any_number__is_that_of_printf(void **state)
{
	static const double others[] = { 0,    -0.0,  1e11,     999999999999.5, 1e12,    1e18,
					 1e22, 1e300, INFINITY, -INFINITY,      DBL_MIN, 0.0004 };

	(void)state;
	for (int digits = 0; digits <= 2; digits++) {
		for (int i = -30000; i < 30000 + (int)ARRAY_SIZE(others); i++) {
			double value = i < 30000 ? i / 2000.0 : others[i - 30000];
			double near[] = { value, nextafter(value, 1e9), nextafter(value, -1e9),
					  value * 3.7 };

			for (size_t k = 0; k < ARRAY_SIZE(near); k++) {
				struct strbuf sb = STRBUF_INIT;
				char *expected = xasprintf("%.*f", digits, near[k]);

				text_add_fixed(&sb, near[k], digits);
				assert_string_equal(sb.buf, expected);
				strbuf_release(&sb);
				free(expected);
			}
		}
	}
}

static void text_add_percent__more_than_nothing__is_not_zero(void **state)
{
	static const struct {
		double percent;
		const char *expected;
	} cases[] = {
		{ 0, "0.0" },      { 1e-9, "<0.1" },   { 0.04999, "<0.1" }, { 0.05, "0.1" },
		{ 12.34, "12.3" }, { -0.01, ">-0.1" }, { -0.06, "-0.1" },   { 250, "250.0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		text_add_percent(&sb, cases[i].percent);
		assert_string_equal(sb.buf, cases[i].expected);
		strbuf_release(&sb);
	}
}

static void text_add_duration__rounding_borders__carry_to_the_next_unit(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0 s" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 99949, "99.9 us" },
		{ 99950, "100 us" },
		{ 812 * NS_PER_US, "812 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 999999, "1.00 ms" },
		{ 34100 * NS_PER_US, "34.1 ms" },
		{ 999499999, "999 ms" },
		{ 999500000, "1.00 s" },
		{ 999999999, "1.00 s" },
		{ 12300 * NS_PER_MS, "12.3 s" },
		{ 59600 * NS_PER_MS, "59.6 s" },
		{ MINUTE, "60.0 s" },
		{ 99449 * NS_PER_MS, "99.4 s" },
		{ 99500 * NS_PER_MS, "1m 40s" },
		{ 3 * MINUTE + 20 * NS_PER_S, "3m 20s" },
		{ 3 * MINUTE + 59499 * NS_PER_MS, "3m 59s" },
		{ 3 * MINUTE + 59500 * NS_PER_MS, "4m 00s" },
		{ HOUR - 501 * NS_PER_MS, "59m 59s" },
		{ HOUR - 100 * NS_PER_MS, "1h 00m 00s" },
		{ HOUR, "1h 00m 00s" },
		{ HOUR + 2 * MINUTE + 3 * NS_PER_S, "1h 02m 03s" },
		{ 100 * HOUR, "100h 00m 00s" },
		{ INT64_MAX, "2562047h 47m 17s" },
		{ -1, "-1 ns" },
		{ -12300 * NS_PER_MS, "-12.3 s" },
		{ -HOUR, "-1h 00m 00s" },
		{ INT64_MIN, "-2562047h 47m 17s" },
	};

	(void)state;
	check_formats(text_add_duration, cases, ARRAY_SIZE(cases));
}

static void text_distance__edits__are_counted(void **state)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} cases[] = {
		{ "", "", 0 },         { "", "abc", 3 },       { "abc", "", 3 },
		{ "perf", "perf", 0 }, { "PERF", "perf", 0 },  { "pref", "perf", 1 },
		{ "per", "perf", 1 },  { "perff", "perf", 1 }, { "kitten", "sitting", 3 },
		{ "ca", "abc", 3 },    { "abcd", "badc", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(text_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(text_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

static void text_nearest__misspelt_word__finds_what_was_meant(void **state)
{
	static const char *const candidates[] = { "cpu",           "cpu-interval", "cpu-stacks",
						  "virtualalloc",  "heap",         "buffers",
						  "min-free-disk", "temp",         "" };
	static const struct {
		const char *word, *nearest;
	} cases[] = {
		{ "cpu-intervall", "cpu-interval" },
		{ "cpu_interval", "cpu-interval" },
		{ "Virtual-Alloc", "virtualalloc" },
		{ "cup", "cpu" },
		{ "haep", "heap" },
		{ "minfreedisk", "min-free-disk" },
		{ "x", NULL },
		{ "", NULL },
		{ "entirely-different", NULL },
		{ "ab", NULL },
	};
	char *huge = xmalloc(100001);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *nearest =
			text_nearest(cases[i].word, candidates, ARRAY_SIZE(candidates));

		if (!cases[i].nearest != !nearest || (nearest && strcmp(nearest, cases[i].nearest)))
			fail_msg("'%s': %s", cases[i].word, nearest ? nearest : "none");
	}
	assert_null(text_nearest("cpu", candidates, 0));
	memset(huge, 'c', 100000);
	huge[100000] = '\0';
	assert_null(text_nearest(huge, candidates, ARRAY_SIZE(candidates)));
	free(huge);
}

static void text_glob__patterns__match_the_whole_text(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fold, matches;
	} cases[] = {
		{ "", "", false, true },
		{ "", "a", false, false },
		{ "*", "", false, true },
		{ "*", "anything", false, true },
		{ "**", "a", false, true },
		{ "?", "", false, false },
		{ "?", "a", false, true },
		{ "?", "ab", false, false },
		{ "a", "a", false, true },
		{ "a", "A", false, false },
		{ "a", "A", true, true },
		{ "LINK*", "link.exe", true, true },
		{ "lld-link*", "lld-link.exe", false, true },
		{ "lld-link*", "my-lld-link", false, false },
		{ "*link", "my-lld-link", false, true },
		{ "*link", "link-my", false, false },
		{ "a*b*c", "abc", false, true },
		{ "a*b*c", "aXbYbZc", false, true },
		{ "a*b*c", "aXbYbZcd", false, false },
		{ "*aab", "aaaab", false, true },
		{ "a?c*", "abc", false, true },
		{ "*?", "a", false, true },
		{ "*?*?", "a", false, false },
		{ "*.", "a.b", false, false },
		{ "[ab]", "a", false, false },
		{ "[ab]", "[ab]", false, true },
		{ "a*", "*", false, false },
		{ "?*", "*", false, true },
		{ "*", "*", false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (text_glob(cases[i].pattern, cases[i].text, cases[i].fold) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

static void text_glob__many_stars__takes_no_exponential_time(void **state)
{
	char pattern[81], text[4001];
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < 80; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[80] = '\0';
	memset(text, 'a', 4000);
	text[3999] = 'b';
	text[4000] = '\0';
	assert_false(text_glob(pattern, text, true));
	text[3999] = 'a';
	assert_true(text_glob(pattern, text, true));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
}

static void text_equal_fold__cases__are_ascii_only(void **state)
{
	(void)state;
	assert_true(text_equal_fold("", ""));
	assert_true(text_equal_fold("RustC", "rustc"));
	assert_false(text_equal_fold("rustc", "rustc "));
	assert_false(text_equal_fold("rustc", "rust"));
	assert_false(text_equal_fold("rust", "rustc"));
	assert_false(text_equal_fold("\xc3\x84", "\xc3\xa4"));
}

static void text_has_word__lists__are_searched_for_whole_words(void **state)
{
	(void)state;
	assert_true(text_has_word("-c", "-c"));
	assert_true(text_has_word("-cc1 -c -S", "-c"));
	assert_true(text_has_word("-cc1 -S", "-S"));
	assert_false(text_has_word("-cc1 -S", "-c"));
	assert_false(text_has_word("-cc1 -S", "-cc1 -S"));
	assert_false(text_has_word("-cc1 -S", ""));
	assert_false(text_has_word("", ""));
}

static void text_starts_and_ends_with__borders__count(void **state)
{
	(void)state;
	assert_true(text_starts_with("rustc", "rust"));
	assert_true(text_starts_with("rustc", ""));
	assert_true(text_starts_with("", ""));
	assert_false(text_starts_with("rust", "rustc"));
	assert_false(text_starts_with("rustc", "Rust"));
	assert_true(text_ends_with("a.so", ".so"));
	assert_true(text_ends_with("a.so", ""));
	assert_true(text_ends_with(".so", ".so"));
	assert_false(text_ends_with("so", ".so"));
	assert_false(text_ends_with("a.so.1", ".so"));
}

static void text_file_name__either_separator__is_the_last_component(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "/usr/bin/cc", "cc" },
		{ "C:\\b\\Link.EXE", "Link.EXE" },
		{ "cc", "cc" },
		{ "", "" },
		{ "/b/stage1/", "stage1/" },
		{ "/", "/" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(text_file_name(cases[i].path), cases[i].name);
}

static void text_parse_utc__times__are_nanoseconds_since_1970(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2000-02-29T12:34:56Z", INT64_C(951827696000000000) },
		{ "2026-11-20T22:27:18.123Z", INT64_C(1795213638123000000) },
		{ "2100-03-01T00:00:00.000000001Z", INT64_C(4107542400000000001) },
	};
	static const char *const wrong[] = { "",
					     "2026-11-20",
					     "2026-11-20T22:27:18",
					     "2026-13-20T22:27:18Z",
					     "2026-11-20T22:27:18.1",
					     "1969-12-31T23:59:59Z",
					     "9999-12-31T23:59:59Z" };
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(text_parse_utc(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(text_parse_utc(wrong[i], &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_file_name__either_separator__is_the_last_component),
		cmocka_unit_test(text_parse_size__each_way_to_write_one__is_bytes),
		cmocka_unit_test(text_parse_size__no_size__is_refused),
		cmocka_unit_test(text_parse_duration__each_way_to_write_one__is_nanoseconds),
		cmocka_unit_test(text_parse_duration__no_duration__is_refused),
		cmocka_unit_test(text_parse_moment__seconds_durations_colons),
		cmocka_unit_test(text_add_moment__is_parsed_back),
		cmocka_unit_test(text_parse_int__borders__are_kept),
		cmocka_unit_test(text_parse_bool__words__are_distinguished),
		cmocka_unit_test(text_add_hex__bytes__two_digits_each),
		cmocka_unit_test(text_parse_hex__digits__are_bytes),
		cmocka_unit_test(text_add_bytes__rounding_borders__stay_three_figures),
		cmocka_unit_test(text_add_fixed__any_number__is_that_of_printf),
		cmocka_unit_test(text_add_percent__more_than_nothing__is_not_zero),
		cmocka_unit_test(text_add_duration__rounding_borders__carry_to_the_next_unit),
		cmocka_unit_test(text_distance__edits__are_counted),
		cmocka_unit_test(text_nearest__misspelt_word__finds_what_was_meant),
		cmocka_unit_test(text_glob__patterns__match_the_whole_text),
		cmocka_unit_test(text_glob__many_stars__takes_no_exponential_time),
		cmocka_unit_test(text_equal_fold__cases__are_ascii_only),
		cmocka_unit_test(text_has_word__lists__are_searched_for_whole_words),
		cmocka_unit_test(text_starts_and_ends_with__borders__count),
		cmocka_unit_test(text_parse_utc__times__are_nanoseconds_since_1970),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
