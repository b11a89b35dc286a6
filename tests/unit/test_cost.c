#include "platform/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MB (UINT64_C(1) << 20)

static void cost_decompressed_max__any_size__is_above_what_recordings_have(void **state)
{
	(void)state;
	assert_int_equal(cost_decompressed_max(0), 64 * MB);
	assert_int_equal(cost_decompressed_max(1 * MB), 192 * MB);
	/* of a recording: docs/stacks.md */
	assert_in_range(cost_decompressed_max(69 * MB), 2800 * MB, 10000 * MB);
	assert_true(cost_decompressed_max(UINT64_MAX) > UINT64_MAX / 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_decompressed_max__any_size__is_above_what_recordings_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
