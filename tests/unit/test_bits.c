#include "util/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

static void bits_count__masks__are_counted(void **state)
{
	static const struct {
		uint64_t mask;
		size_t nr;
	} cases[] = {
		{ 0, 0 }, { 1, 1 }, { UINT64_C(1) << 63, 1 }, { 0xff0fff, 20 }, { UINT64_MAX, 64 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(bits_count(cases[i].mask), cases[i].nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_count__masks__are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
