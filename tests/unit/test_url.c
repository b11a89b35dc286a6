#include "util/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static void url_add_host__any_url__without_user_and_path(void **state)
{
	static const struct {
		const char *url, *host;
	} cases[] = {
		{ "https://debuginfod.example:8002", "https://debuginfod.example:8002" },
		{ "https://me:secret@host/path?a#b", "https://host" },
		{ "http://a@b@host/", "http://host" },
		{ "http://host/@other", "http://host" },
		{ "host", "host" },
		{ "", "" },
		{ "http://\033[1m", "http://\\x1b[1m" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf host = STRBUF_INIT;

		url_add_host(&host, cases[i].url, strlen(cases[i].url));
		assert_string_equal(host.buf ? host.buf : "", cases[i].host);
		strbuf_release(&host);
	}
}

static void url_add_part__special_characters__escaped(void **state)
{
	struct strbuf part = STRBUF_INIT;

	(void)state;
	url_add_part(&part, "rustc_driver-1.pdb a/b?c#d%e\xc3\xa4+~");
	assert_string_equal(part.buf, "rustc_driver-1.pdb%20a%2Fb%3Fc%23d%25e%C3%A4%2B~");
	strbuf_release(&part);
}

static void url_is_http__of_each_form__http_alone(void **state)
{
	(void)state;
	assert_true(url_is_http("http://x") && url_is_http("https://x"));
	assert_false(url_is_http("ftp://x") || url_is_http("file:///x") || url_is_http("C:\\x") ||
		     url_is_http(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(url_add_host__any_url__without_user_and_path),
		cmocka_unit_test(url_add_part__special_characters__escaped),
		cmocka_unit_test(url_is_http__of_each_form__http_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
