#include "util/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static void err_set__over_another__replaces_it(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&err, ERR_USAGE, "no %s", "file"), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "no file");
	/* Its own text may go into the new one. */
	assert_int_equal(err_set(&err, ERR_CORRUPT, "%s at all", err.msg), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_string_equal(err.msg, "no file at all");
	err_clear(&err);
	assert_null(err.msg);
	assert_int_equal(err.code, ERR_NONE);
	err_clear(&err);
}

static void err_set_errno__each_errno__has_its_code_and_text(void **state)
{
	static const struct {
		int errnum;
		enum err_code code;
	} cases[] = {
		{ EACCES, ERR_FAILED },   { ENOENT, ERR_FAILED }, { ENOSPC, ERR_NO_SPACE },
		{ EINVAL, ERR_FAILED },   { 99999, ERR_FAILED },
#ifdef EDQUOT
		{ EDQUOT, ERR_NO_SPACE },
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		errno = 0;
		assert_int_equal(err_set_errno(&err, cases[i].errnum, "cannot open '%s'", "x"), -1);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(strncmp(err.msg, "cannot open 'x': ", 17), 0);
		assert_string_equal(err.msg + 17, strerror(cases[i].errnum));
		err_clear(&err);
	}
}

static void err_wrap__layers__stand_in_front(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, ERR_NOT_FOUND, "no such file");
	assert_int_equal(err_wrap(&err, "cannot read '%s'", "m"), -1);
	assert_int_equal(err_wrap(&err, "100%% of run %d", 7), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_string_equal(err.msg, "100% of run 7: cannot read 'm': no such file");
	err_clear(&err);
}

static void err_wrap__nothing_to_wrap__is_still_a_failure(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_wrap(&err, "cannot go on"), -1);
	assert_int_equal(err.code, ERR_FAILED);
	assert_string_equal(err.msg, "cannot go on: unknown error");
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_set__over_another__replaces_it),
		cmocka_unit_test(err_set_errno__each_errno__has_its_code_and_text),
		cmocka_unit_test(err_wrap__layers__stand_in_front),
		cmocka_unit_test(err_wrap__nothing_to_wrap__is_still_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
