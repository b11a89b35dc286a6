#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/base64.h"

static void base64_encode__vectors_of_rfc_4648__are_equal(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xff\xfe\xfb", "//77" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[16] = "";
		size_t nr = strlen(cases[i].bytes);

		base64_encode(text, (const unsigned char *)cases[i].bytes, nr);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(BASE64_LENGTH(nr), strlen(cases[i].text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_encode__vectors_of_rfc_4648__are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
