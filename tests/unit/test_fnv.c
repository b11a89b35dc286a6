#include "util/fnv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

/* Values of the published test vectors: http://www.isthe.com/chongo/src/fnv/test_fnv.c */
static void fnv_add__known_strings__has_the_published_values(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{ "", UINT64_C(0xcbf29ce484222325) },
		{ "a", UINT64_C(0xaf63dc4c8601ec8c) },
		{ "foobar", UINT64_C(0x85944171f73967e8) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(fnv_add(FNV_FIRST, cases[i].text, strlen(cases[i].text)),
				 cases[i].hash);
}

static void fnv_add__in_two_parts__is_that_of_the_whole(void **state)
{
	(void)state;
	assert_int_equal(fnv_add(fnv_add(FNV_FIRST, "foo", 3), "bar", 3),
			 fnv_add(FNV_FIRST, "foobar", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fnv_add__known_strings__has_the_published_values),
		cmocka_unit_test(fnv_add__in_two_parts__is_that_of_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
