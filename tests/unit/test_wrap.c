#include "util/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

static void wrap__beyond_the_largest__goes_on_at_the_smallest(void **state)
{
	static const struct {
		int64_t a, b, sum, difference;
	} cases[] = {
		{ 3, 4, 7, -1 },
		{ -3, 4, 1, -7 },
		{ INT64_MAX, 1, INT64_MIN, INT64_MAX - 1 },
		{ INT64_MIN, -1, INT64_MAX, INT64_MIN + 1 },
		{ INT64_MIN, 1, INT64_MIN + 1, INT64_MAX },
		{ 0, INT64_MIN, INT64_MIN, INT64_MIN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(wrap_add(cases[i].a, cases[i].b) == cases[i].sum);
		assert_true(wrap_subtract(cases[i].a, cases[i].b) == cases[i].difference);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrap__beyond_the_largest__goes_on_at_the_smallest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
