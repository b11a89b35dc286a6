#include "util/radix_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct element {
	uint64_t key;
	size_t number;
};

RADIX_SORT_DEFINE(sort, struct element, key)

/* Keys that differ in so many of their bytes: the result is in one array or the other. */
static void radix_sort__any_bytes__sorted_and_stable(void **state)
{
	enum { NR = 1000 };
	static const uint64_t masks[] = { 0,          0xff,   0xff00000000000000,
					  0xff0000ff, 0x0303, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct element v[NR], room[NR], *sorted;
		uint64_t random = 1, sum = 0;

		for (size_t k = 0; k < NR; k++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			v[k] = (struct element){ (random ^ random >> 32) & masks[i], k };
			sum += v[k].key;
		}
		sorted = sort(v, NR, room);
		assert_true(sorted == v || sorted == room);
		for (size_t k = 0; k < NR; k++) {
			sum -= sorted[k].key;
			if (!k)
				continue;
			assert_true(sorted[k - 1].key <= sorted[k].key);
			if (sorted[k - 1].key == sorted[k].key)
				assert_true(sorted[k - 1].number < sorted[k].number);
		}
		assert_true(!sum);
	}
}

static void radix_sort__nothing__is_left(void **state)
{
	struct element v[1] = { { 7, 1 } }, room[1];

	(void)state;
	assert_ptr_equal(sort(v, 0, room), v);
	assert_ptr_equal(sort(v, 1, room), v);
	assert_int_equal(v[0].key, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(radix_sort__any_bytes__sorted_and_stable),
		cmocka_unit_test(radix_sort__nothing__is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
