#include "util/key_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/fnv.h"

static void key_hash_add__in_two_parts__is_that_of_the_whole(void **state)
{
	(void)state;
	assert_int_equal(key_hash_add(key_hash_add(key_hash_first(), "foo", 3), "bar", 3),
			 key_hash_add(key_hash_first(), "foobar", 6));
	assert_int_not_equal(key_hash_add(key_hash_first(), "foo", 3),
			     key_hash_add(key_hash_first(), "fop", 3));
}

/* In whatever state of the hash they come, which the byte before them decides. */
static void key_hash_add__texts_with_one_hash_of_fnv__differ(void **state)
{
	static const char a[] = "0K49b#E52rxM5!^BPbH;", b[] = "5Y=h&-v:,3iSO!KDu#H7";

	(void)state;
	assert_int_equal(fnv_add(FNV_FIRST, a, strlen(a)), fnv_add(FNV_FIRST, b, strlen(b)));
	for (int c = 0; c < 256; c++) {
		uint64_t before = key_hash_add(key_hash_first(), &(char){ (char)c }, 1);

		assert_int_not_equal(key_hash_add(before, a, strlen(a)),
				     key_hash_add(before, b, strlen(b)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_hash_add__in_two_parts__is_that_of_the_whole),
		cmocka_unit_test(key_hash_add__texts_with_one_hash_of_fnv__differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
