#include "util/intmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void intmap_get__after_put__is_the_last_value(void **state)
{
	struct intmap map = INTMAP_INIT;
	int first, second;

	(void)state;
	assert_null(intmap_get(&map, 7));
	intmap_put(&map, 7, &first);
	intmap_put(&map, -7, &second);
	assert_ptr_equal(intmap_get(&map, 7), &first);
	assert_ptr_equal(intmap_get(&map, -7), &second);
	intmap_put(&map, 7, &second);
	assert_ptr_equal(intmap_get(&map, 7), &second);
	assert_int_equal(map.nr, 2);
	assert_null(intmap_get(&map, 8));
	intmap_release(&map);
	assert_null(intmap_get(&map, 7));
}

static void intmap_remove__one__others_stay(void **state)
{
	struct intmap map = INTMAP_INIT;
	int first, second;

	(void)state;
	assert_null(intmap_remove(&map, 1));
	intmap_put(&map, 1, &first);
	intmap_put(&map, 2, &second);
	assert_null(intmap_remove(&map, 3));
	assert_ptr_equal(intmap_remove(&map, 1), &first);
	assert_null(intmap_get(&map, 1));
	assert_null(intmap_remove(&map, 1));
	assert_ptr_equal(intmap_get(&map, 2), &second);
	assert_int_equal(map.nr, 1);
	intmap_release(&map);
}

/* Keys that come and go at random, against a plain array; a full map has long runs of neighbours. */
static void intmap_remove__many__like_an_array(void **state)
{
	enum { KEYS = 700, STEPS = 100000 };
	struct intmap map = INTMAP_INIT;
	void *expected[KEYS] = { NULL };
	uint32_t random = 1;
	size_t nr = 0;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		int64_t key;

		random = random * 1664525 + 1013904223;
		key = (random >> 8) % KEYS;
		if (random >> 31) {
			assert_ptr_equal(intmap_remove(&map, key * 1001), expected[key]);
			nr -= expected[key] != NULL;
			expected[key] = NULL;
		} else {
			nr += expected[key] == NULL;
			expected[key] = &expected[(random >> 8) % (KEYS - 1)];
			intmap_put(&map, key * 1001, expected[key]);
		}
		assert_int_equal(map.nr, nr);
	}
	for (int64_t key = 0; key < KEYS; key++)
		assert_ptr_equal(intmap_get(&map, key * 1001), expected[key]);
	intmap_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intmap_get__after_put__is_the_last_value),
		cmocka_unit_test(intmap_remove__one__others_stay),
		cmocka_unit_test(intmap_remove__many__like_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
