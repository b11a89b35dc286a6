#include "util/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/json.h"

/* What both ways must write: an object is closed, and compared with json_line(). */
static void assert_same(struct strbuf *sb, json_t *object)
{
	char *expected = json_line(object);

	strbuf_addc(sb, '}');
	assert_string_equal(sb->buf, expected);
	free(expected);
	json_decref(object);
	strbuf_release(sb);
}

static const char *const texts[] = {
	"",
	"plain",
	"core::ptr::drop_in_place<[alloc::string::String; 4]>",
	"a \"quoted\" C:\\path/with/both",
	"\b\t\n\f\r\x01\x1f\x7f",
	"\xc3\xa4 \xe2\x80\xa6 \xf0\x9f\xa6\x80",
	"\xc2\x85 \xe2\x80\xae \xf0\x9d\x85\xb3",
	"bad \xff and \xe2\x80",
	"\xed\xa0\x80",
};

static void json_text_bytes__any_bytes__as_json_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf sb = STRBUF_INIT;
		json_t *object = json_object();

		strbuf_addc(&sb, '{');
		json_text_bytes(&sb, "a", texts[i]);
		json_text_bytes(&sb, "none", NULL);
		json_put_bytes(object, "a", texts[i]);
		json_put_bytes(object, "none", NULL);
		assert_same(&sb, object);
	}
}

/* A byte that is no plain one at each place of texts of some lengths: eight bytes are looked at at once. */
static void json_text_bytes__any_place_and_length__as_json_line(void **state)
{
	static const char bytes[] = { '"', '\\', '\x1f', '\x7f', '\xff', ' ', '~' };

	(void)state;
	for (size_t len = 1; len <= 25; len++) {
		for (size_t i = 0; i < len * sizeof(bytes); i++) {
			struct strbuf sb = STRBUF_INIT;
			json_t *object = json_object();
			char text[26] = "";

			memset(text, 'a', len);
			text[i % len] = bytes[i / len];
			strbuf_addc(&sb, '{');
			json_text_bytes(&sb, "a", text);
			json_put_bytes(object, "a", text);
			assert_same(&sb, object);
		}
	}
}

static void json_text_strings__any_bytes__as_json_line(void **state)
{
	(void)state;
	/* All of them, those before the first bad one, none. */
	for (size_t nr = ARRAY_SIZE(texts); nr != (size_t)-1; nr--) {
		struct strvec strings = STRVEC_INIT;
		struct strbuf sb = STRBUF_INIT;
		json_t *object = json_object();

		for (size_t i = 0; i < nr; i++)
			strvec_push(&strings, texts[i]);
		strbuf_addc(&sb, '{');
		json_text_strings(&sb, "stack", &strings);
		json_text_int(&sb, "nr", 1);
		json_put_strings(object, "stack", &strings);
		json_put_int(object, "nr", 1);
		assert_same(&sb, object);
		strvec_release(&strings);
	}
}

static void json_text_numbers__as_json_line(void **state)
{
	static const int64_t numbers[] = { 0, 1, -1, 10, 99, 1234567890, INT64_MAX, INT64_MIN };
	static const double reals[] = { 0,    1,        -2.5,          100,  0.1,
					1e-5, 1.0 / 3., 31.4159265358, 1e22, -1e-300 };
	struct strbuf sb = STRBUF_INIT;
	json_t *object = json_object();
	char key[] = "a";

	(void)state;
	strbuf_addc(&sb, '{');
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++, key[0]++) {
		json_text_int(&sb, key, numbers[i]);
		json_put_int(object, key, numbers[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(reals); i++, key[0]++) {
		json_text_real(&sb, key, reals[i]);
		json_object_set_new(object, key, json_real(reals[i]));
	}
	assert_same(&sb, object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_text_bytes__any_bytes__as_json_line),
		cmocka_unit_test(json_text_bytes__any_place_and_length__as_json_line),
		cmocka_unit_test(json_text_strings__any_bytes__as_json_line),
		cmocka_unit_test(json_text_numbers__as_json_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
