#include "symbol/symbol_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/strbuf.h"

static void expect_parts(const char *text, const char *expected)
{
	static const char *const kinds[] = { "dir", "cache", "url", "remote", "unknown" };
	struct strbuf parts = STRBUF_INIT;
	struct symbol_path path;

	symbol_path_parse(&path, text);
	for (size_t i = 0; i < path.nr; i++)
		strbuf_addf(&parts, "%s%s %s", i ? " | " : "", kinds[path.parts[i].kind],
			    path.parts[i].text);
	assert_string_equal(parts.buf ? parts.buf : "", expected);
	strbuf_release(&parts);
	symbol_path_release(&path);
}

static void symbol_path_parse__any_element__its_parts_in_order(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ NULL, "" },
		{ "", "" },
		{ ";;", "" },
		/* Without a prefix. */
		{ "C:\\a;/b/c;;.;d", "dir C:\\a | dir /b/c | dir . | dir d" },
		{ "https://x/y//;http://z", "url https://x/y | url http://z" },
		{ "\\\\server\\share;//server/share;ftp://x",
		  "remote \\\\server\\share | remote //server/share | remote ftp://x" },
		/* Servers, in each of their forms. */
		{ "srv*https://x", "url https://x" },
		{ "srv*C:\\near*https://x/", "cache C:\\near | url https://x" },
		{ "SRV*C:\\near*D:\\far*https://x",
		  "cache C:\\near | cache D:\\far | url https://x" },
		{ "symsrv*symsrv.dll*C:\\near*https://x", "cache C:\\near | url https://x" },
		{ "SymSrv*C:\\other.dll*https://x", "url https://x" },
		{ "srv*\\\\server\\share", "remote \\\\server\\share" },
		{ "srv*C:\\near*\\\\server\\share", "dir C:\\near | remote \\\\server\\share" },
		{ "srv*https://x*https://y", "url https://x | url https://y" },
		{ "srv*https://x*C:\\behind", "url https://x | dir C:\\behind" },
		{ "srv*C:\\store", "dir C:\\store" },
		{ "srv*C:\\store;srv*C:\\near*https://x",
		  "dir C:\\store | cache C:\\near | url https://x" },
		{ "srv*C:\\store;https://x", "dir C:\\store | url https://x" },
		{ "srv*C:\\a*\\\\server\\share*https://x*C:\\b*https://y*C:\\c",
		  "cache C:\\a | remote \\\\server\\share | url https://x | cache C:\\b | url "
		  "https://y | dir C:\\c" },
		/* Empty parts, and none. */
		{ "srv**https://x", "url https://x" },
		{ "srv*;srv**;symsrv*;symsrv*symsrv.dll;symsrv*symsrv.dll*;cache*", "" },
		{ "symsrv**https://x", "url https://x" },
		/* Caches. */
		{ "cache*C:\\a;srv*https://x", "cache C:\\a | url https://x" },
		{ "Cache*C:\\a*C:\\b", "cache C:\\a | cache C:\\b" },
		/* Others. */
		{ "other*C:\\a*https://x;C:\\b", "unknown other | dir C:\\b" },
		{ "*C:\\a", "unknown " },
		{ "https://x*C:\\a", "unknown https://x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_parts(cases[i].text, cases[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_path_parse__any_element__its_parts_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
