#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/array.h"

static void array_grow_zero__all_there_is_room_for__is_zero(void **state)
{
	size_t nr = 0, none = 0;
	uint32_t *v = NULL;

	(void)state;
	ARRAY_GROW_ZERO(v, none, nr);
	assert_null(v);
	for (size_t need = 1; need < 1000; need += 7) {
		size_t had = nr;

		ARRAY_GROW_ZERO(v, need, nr);
		assert_true(nr >= need);
		for (size_t i = 0; i < nr; i++)
			assert_int_equal(v[i], i < had ? i + 1 : 0);
		for (size_t i = 0; i < nr; i++)
			v[i] = (uint32_t)i + 1;
	}
	free(v);
}

static void array_reach__so_many__and_new_ones_are_zero(void **state)
{
	uint32_t *v = NULL;
	size_t nr = 0, alloc = 0;

	(void)state;
	for (size_t need = 1; need < 1000; need += 7) {
		size_t had = nr;

		ARRAY_REACH(v, need, nr, alloc);
		assert_int_equal(nr, need);
		assert_true(alloc >= nr);
		for (size_t i = 0; i < nr; i++)
			assert_int_equal(v[i], i < had ? i + 1 : 0);
		for (size_t i = 0; i < nr; i++)
			v[i] = (uint32_t)i + 1;
		ARRAY_REACH(v, need / 2, nr, alloc);
		assert_int_equal(nr, need);
		/* What is behind them may be anything. */
		for (size_t i = nr; i < alloc; i++)
			v[i] = UINT32_MAX;
	}
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(array_grow_zero__all_there_is_room_for__is_zero),
		cmocka_unit_test(array_reach__so_many__and_new_ones_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
