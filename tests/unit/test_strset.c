#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/strset.h"

static void strset_add__again__is_the_same_number(void **state)
{
	struct strset set = STRSET_INIT;
	char name[] = "core";

	(void)state;
	assert_int_equal(strset_add(&set, name), 0);
	assert_int_equal(strset_add(&set, ""), 1);
	name[0] = 'l';
	assert_int_equal(strset_add(&set, name), 2);
	assert_int_equal(strset_add(&set, "core"), 0);
	assert_int_equal(strset_add(&set, ""), 1);
	assert_int_equal(set.strings.nr, 3);
	assert_string_equal(set.strings.v[0], "core");
	assert_string_equal(set.strings.v[2], "lore");
	strset_release(&set);
	assert_int_equal(strset_add(&set, "other"), 0);
	strset_release(&set);
}

static void strset_add__many__stay_where_they_are(void **state)
{
	enum { NR = 20000 };
	struct strset set = STRSET_INIT;
	const char *first;
	char name[32];

	(void)state;
	strset_add(&set, "0");
	first = set.strings.v[0];
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < NR; i++) {
			snprintf(name, sizeof(name), "%u", (unsigned)i);
			assert_int_equal(strset_add(&set, name), i);
		}
	assert_int_equal(set.strings.nr, NR);
	assert_ptr_equal(set.strings.v[0], first);
	assert_string_equal(set.strings.v[NR - 1], "19999");
	strset_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strset_add__again__is_the_same_number),
		cmocka_unit_test(strset_add__many__stay_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
