#include "trace/etl/etl_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/array.h"

static void etl_clock_ns__is_exact(void **state)
{
	static const struct {
		uint64_t ticks, frequency, ns;
	} cases[] = {
		{ 0, 10000000, 0 },
		{ 1, 10000000, 100 },
		{ 2, 3, 666666666 },
		{ 1818300, 1818300, 1000000000 },
		/* The last frequency of one step, the first of two, and the highest that a file may have. */
		{ UINT64_C(18446744072), UINT64_C(18446744073), 999999999 },
		{ UINT64_C(18446744073), UINT64_C(18446744074), 999999999 },
		{ UINT64_C(19000000019), UINT64_C(20000000000), 950000000 },
		{ UINT64_C(19000000020), UINT64_C(20000000000), 950000001 },
		{ UINT64_C(99999999999), ETL_CLOCK_FREQUENCY_MAX, 999999999 },
		{ UINT64_MAX, ETL_CLOCK_FREQUENCY_MAX, UINT64_C(184467440737095516) },
		/* A FILETIME of 2025, and what does not fit: 18446744073709551615 * 100 mod 2^64. */
		{ UINT64_C(133800000000000001), 10000000, UINT64_C(13380000000000000100) },
		{ UINT64_MAX, 10000000, UINT64_C(18446744073709551516) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(etl_clock_ns(cases[i].ticks, cases[i].frequency), cases[i].ns);
}

static void etl_clock_time__is_from_time_zero(void **state)
{
	static const struct {
		uint64_t ticks, first;
		int64_t ns;
	} cases[] = {
		{ 1010, 1000, 1000 },
		{ 990, 1000, -1000 },
		/* System time: neither of them is an int64_t, but what is between is. */
		{ UINT64_C(133800000000000001), UINT64_C(133800000000000000), 100 },
		{ UINT64_C(92233720368547760), UINT64_C(92233720368547750), 1000 },
		{ UINT64_C(92233720368547750), UINT64_C(92233720368547760), -1000 },
		/* 2^64 ns are between 584 and 585 years from 1601: in 2185. */
		{ UINT64_C(184467440737095520), UINT64_C(184467440737095510), 1000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct etl_clock_base base = { 10000000, (int64_t)etl_clock_ns(cases[i].first,
										     10000000) };

		assert_int_equal(etl_clock_time(&base, cases[i].ticks), cases[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etl_clock_ns__is_exact),
		cmocka_unit_test(etl_clock_time__is_from_time_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
