#include "platform/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/text.h"

static void clock_format_utc__known_times__are_written(void **state)
{
	static const struct {
		int64_t ns;
		const char *text, *name;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000Z", "19700101T000000Z" },
		{ 1769860800 * NS_PER_S + 123999999, "2026-01-31T12:00:00.123Z",
		  "20260131T120000Z" },
		{ 1709251199 * NS_PER_S + 999 * NS_PER_MS, "2024-02-29T23:59:59.999Z",
		  "20240229T235959Z" },
		{ INT64_C(9223372036) * NS_PER_S, "2262-04-11T23:47:16.000Z", "22620411T234716Z" },
	};
	char text[CLOCK_UTC_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		clock_format_utc(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
		clock_format_utc_name(cases[i].ns, text);
		assert_string_equal(text, cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_format_utc__known_times__are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
