#include "platform/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MB (UINT64_C(1) << 20)

static void cost_decompressed_max__any_size__is_a_ratio_and_more_for_small_ones(void **state)
{
	(void)state;
	assert_int_equal(cost_decompressed_max(0), 64 * MB);
	assert_int_equal(cost_decompressed_max(1 * MB), 192 * MB);
	assert_true(cost_decompressed_max(UINT64_MAX) > UINT64_MAX / 10000);
}

/* docs/security.md has the largest ratio that was seen. */
static void cost_records_max__a_recording__is_below(void **state)
{
	(void)state;
	assert_in_range(cost_records_max(1 * MB), 443 * MB, 2000 * MB);
	assert_non_null(strstr(cost_remedy(), "STAGETRACE_LIMITS=4"));
	cost_trust();
	/* A recording reads its own trace, with the highest limits already. */
	assert_string_equal(cost_remedy(), "this limit cannot be raised further");
	assert_in_range(cost_records_max(1 * MB), 443000 * MB, 2000000 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			cost_decompressed_max__any_size__is_a_ratio_and_more_for_small_ones),
		cmocka_unit_test(cost_records_max__a_recording__is_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
