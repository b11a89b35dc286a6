#include "util/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

#define BAD "\xef\xbf\xbd"

static const char *const texts[] = {
	"",
	"plain",
	"gr\xc3\xbcn \xf0\x9f\x98\x80",
	"quote \" back \\ slash /",
	"\x01\x02\b\f\n\r\t\x1f\x7f",
	"caf\xe9",
	"\xff",
	"\xff\xfe\x80\xc0\x80",
	"\xed\xa0\x80",
	"cut \xe2\x82",
	"line\nfeed \xff and \xef\xbf\xbd",
};

/* Through text, as a file would carry it. */
static json_t *carry(json_t *object)
{
	char *line = json_line(object);
	json_t *again = json_loads(line, 0, NULL);

	assert_null(strchr(line, '\n'));
	assert_non_null(again);
	json_decref(object);
	free(line);
	return again;
}

static json_t *parse(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	return value;
}

static void json_bytes__any_bytes__come_back_as_they_were(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		json_t *object = json_object();
		struct err err = ERR_INIT;
		char *s = xstrdup("earlier");

		json_put_bytes(object, "key", texts[i]);
		object = carry(object);
		assert_int_equal(json_get_bytes(object, "key", &s, &err), 0);
		assert_string_equal(s, texts[i]);
		free(s);
		json_decref(object);
	}
}

static void json_put_bytes__invalid_utf8__is_written_twice(void **state)
{
	json_t *object = json_object();
	char *line;

	(void)state;
	json_put_bytes(object, "ok", "\xc3\xa9");
	json_put_bytes(object, "odd", "a\xff");
	json_put_bytes(object, "none", NULL);
	line = json_line(object);
	assert_string_equal(line, "{\"ok\":\"\xc3\xa9\",\"odd\":\"a" BAD
				  "\",\"odd_hex\":\"61ff\",\"none\":null}");
	free(line);
	json_decref(object);
}

static void json_put_bytes__a_second_time__leaves_nothing_of_the_first(void **state)
{
	json_t *object = json_object();
	struct err err = ERR_INIT;
	char *s = NULL;

	(void)state;
	json_put_bytes(object, "key", "\xff");
	json_put_bytes(object, "key", "fine");
	assert_int_equal(json_get_bytes(object, "key", &s, &err), 0);
	assert_string_equal(s, "fine");
	free(s);
	json_decref(object);
}

static void json_strings__any_bytes__come_back_as_they_were(void **state)
{
	struct strvec strings = STRVEC_INIT, again = STRVEC_INIT;
	json_t *object = json_object();
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		strvec_push(&strings, texts[i]);
	json_put_strings(object, "argv", &strings);
	object = carry(object);
	assert_int_equal(json_get_strings(object, "argv", &again, &err), 0);
	assert_int_equal(again.nr, strings.nr);
	for (size_t i = 0; i < strings.nr; i++)
		assert_string_equal(again.v[i], strings.v[i]);
	json_decref(object);
	strvec_release(&strings);
	strvec_release(&again);
}

static void json_put_strings__all_valid__writes_no_hex(void **state)
{
	struct strvec strings = STRVEC_INIT;
	json_t *object = json_object();
	char *line;

	(void)state;
	json_put_strings(object, "none", &strings);
	strvec_push(&strings, "a");
	json_put_strings(object, "one", &strings);
	strvec_push(&strings, "\xff");
	json_put_strings(object, "two", &strings);
	line = json_line(object);
	assert_string_equal(line, "{\"none\":[],\"one\":[\"a\"],\"two\":[\"a\",\"" BAD
				  "\"],\"two_hex\":[null,\"ff\"]}");
	free(line);
	json_decref(object);
	strvec_release(&strings);
}

static void json_line__controls__are_escapes_of_the_same_text(void **state)
{
	static const char text[] = "\x1b[2J\x7f \xc2\x9b\xc2\xa0 \xe2\x80\xae gr\xc3\xbcn"
				   "\xf3\xa0\x81\xbf";
	json_t *object = json_object(), *back;
	char *line;

	(void)state;
	json_put_bytes(object, "a", text);
	line = json_line(object);
	assert_string_equal(line, "{\"a\":\"\\u001B[2J\\u007F \\u009B\xc2\xa0 \\u202E gr\xc3\xbcn"
				  "\\uDB40\\uDC7F\"}");
	back = json_loads(line, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(back, "a")), text);
	json_decref(back);
	json_decref(object);
	free(line);
}

static void json_get__absent_or_null__leaves_the_result_untouched(void **state)
{
	json_t *object = parse("{\"n\":null}");
	static const char *const keys[] = { "n", "absent" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct strvec strings = STRVEC_INIT;
		struct err err = ERR_INIT;
		char *s = xstrdup("kept");
		int64_t number = 7;
		bool flag = true;

		strvec_push(&strings, "kept");
		assert_int_equal(json_get_bytes(object, keys[i], &s, &err), 0);
		assert_int_equal(json_get_strings(object, keys[i], &strings, &err), 0);
		assert_int_equal(json_get_int(object, keys[i], &number, &err), 0);
		assert_int_equal(json_get_bool(object, keys[i], &flag, &err), 0);
		assert_string_equal(s, "kept");
		assert_int_equal(strings.nr, 1);
		assert_int_equal(number, 7);
		assert_true(flag);
		free(s);
		strvec_release(&strings);
	}
	json_decref(object);
}

static int get_any(const json_t *object, char kind, struct err *err)
{
	struct strvec strings = STRVEC_INIT;
	int64_t number = 7;
	char *s = NULL;
	bool flag = false;
	int rc = kind == 's'   ? json_get_bytes(object, "key", &s, err)
		 : kind == 'v' ? json_get_strings(object, "key", &strings, err)
		 : kind == 'i' ? json_get_int(object, "key", &number, err)
			       : json_get_bool(object, "key", &flag, err);

	free(s);
	strvec_release(&strings);
	return rc;
}

static void json_get__wrong_type__is_corrupt_and_names_the_key(void **state)
{
	static const struct {
		const char *text;
		char kind;
	} cases[] = {
		{ "{\"key\":1}", 's' },
		{ "{\"key\":[\"a\"]}", 's' },
		{ "{\"key\":{}}", 's' },
		{ "{\"key\":\"a\",\"key_hex\":\"6\"}", 's' },
		{ "{\"key\":\"a\",\"key_hex\":\"6g\"}", 's' },
		{ "{\"key\":\"a\",\"key_hex\":\"FF\"}", 's' },
		{ "{\"key\":\"a\",\"key_hex\":\"6100\"}", 's' },
		{ "{\"key\":\"a\"}", 'v' },
		{ "{\"key\":[\"a\",1]}", 'v' },
		{ "{\"key\":[null]}", 'v' },
		{ "{\"key\":[\"a\"],\"key_hex\":[\"zz\"]}", 'v' },
		{ "{\"key\":\"1\"}", 'i' },
		{ "{\"key\":1.0}", 'i' },
		{ "{\"key\":1e3}", 'i' },
		{ "{\"key\":true}", 'i' },
		{ "{\"key\":1}", 'b' },
		{ "{\"key\":\"true\"}", 'b' },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *object = parse(cases[i].text);
		struct err err = ERR_INIT;

		if (get_any(object, cases[i].kind, &err) != -1)
			fail_msg("%s was taken", cases[i].text);
		assert_int_equal(err.code, ERR_CORRUPT);
		assert_non_null(strstr(err.msg, "'key"));
		err_clear(&err);
		json_decref(object);
	}
}

static void json_get_strings__hex_of_another_shape__is_ignored(void **state)
{
	static const char *const cases[] = {
		"{\"key\":[\"a\"],\"key_hex\":7}",
		"{\"key\":[\"a\"],\"key_hex\":[]}",
		"{\"key\":[\"a\"],\"key_hex\":[null,\"62\"]}",
		"{\"key\":[\"a\"],\"key_hex\":[5]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec strings = STRVEC_INIT;
		json_t *object = parse(cases[i]);
		struct err err = ERR_INIT;

		assert_int_equal(json_get_strings(object, "key", &strings, &err), 0);
		assert_int_equal(strings.nr, 1);
		assert_string_equal(strings.v[0], "a");
		strvec_release(&strings);
		json_decref(object);
	}
}

static void json_numbers__least_and_greatest__come_back(void **state)
{
	static const int64_t numbers[] = { 0, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 53 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		json_t *object = json_object();
		struct err err = ERR_INIT;
		int64_t number = 7;
		bool flag = false;

		json_put_int(object, "n", numbers[i]);
		json_put_bool(object, "b", true);
		object = carry(object);
		assert_int_equal(json_get_int(object, "n", &number, &err), 0);
		assert_int_equal(json_get_bool(object, "b", &flag, &err), 0);
		assert_true(number == numbers[i]);
		assert_true(flag);
		json_decref(object);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_bytes__any_bytes__come_back_as_they_were),
		cmocka_unit_test(json_put_bytes__invalid_utf8__is_written_twice),
		cmocka_unit_test(json_put_bytes__a_second_time__leaves_nothing_of_the_first),
		cmocka_unit_test(json_strings__any_bytes__come_back_as_they_were),
		cmocka_unit_test(json_put_strings__all_valid__writes_no_hex),
		cmocka_unit_test(json_line__controls__are_escapes_of_the_same_text),
		cmocka_unit_test(json_get__absent_or_null__leaves_the_result_untouched),
		cmocka_unit_test(json_get__wrong_type__is_corrupt_and_names_the_key),
		cmocka_unit_test(json_get_strings__hex_of_another_shape__is_ignored),
		cmocka_unit_test(json_numbers__least_and_greatest__come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
