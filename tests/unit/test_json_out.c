#include "report/json_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

static void json_out_fixed__values__exact_and_short(void **state)
{
	static const struct {
		int64_t value;
		int digits;
		const char *text;
	} cases[] = {
		{ 0, 0, "0" },
		{ 0, 6, "0" },
		{ 1500, 3, "1.5" },
		{ -1500, 3, "-1.5" },
		{ 1, 6, "0.000001" },
		{ -1, 6, "-0.000001" },
		{ 1000000, 6, "1" },
		{ 123456789, 6, "123.456789" },
		{ INT64_MAX, 6, "9223372036854.775807" },
		{ INT64_MIN, 6, "-9223372036854.775808" },
		{ INT64_MIN, 0, "-9223372036854775808" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_out json = JSON_OUT_INIT(NULL);

		json_out_fixed(&json, cases[i].value, cases[i].digits);
		assert_string_equal(json.sb.buf, cases[i].text);
		strbuf_release(&json.sb);
	}
}

static void json_out_string__any_bytes__valid_json(void **state)
{
	struct json_out json = JSON_OUT_INIT(NULL);

	(void)state;
	json_out_string(&json, "a\"b\\\n\xff</script>");
	json_out_comma(&json, 0);
	json_out_string(&json, NULL);
	json_out_comma(&json, 1);
	json_out_int(&json, -7);
	assert_string_equal(json.sb.buf, "\"a\\\"b\\\\\\n\xef\xbf\xbd</script>\"null,-7");
	strbuf_release(&json.sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_out_fixed__values__exact_and_short),
		cmocka_unit_test(json_out_string__any_bytes__valid_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
