#include "symbol/pdb/pdb_module.h"

#include "pdb_fixture.h"

static void expect_dirs(const char *symbol_path, const char *expected)
{
	struct strvec first = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct pdb_search search;

	strvec_push(&first, "/run/symbols");
	strvec_push(&first, "\\\\server\\share");
	pdb_search_init(&search, &first, symbol_path);
	for (size_t i = 0; i < search.dirs.nr; i++)
		strbuf_addf(&text, "%s%s", i ? " | " : "", search.dirs.v[i]);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
	strvec_release(&first);
	pdb_search_release(&search);
}

static void pdb_search_init__symbol_path__folders_of_this_machine_alone(void **state)
{
	static const struct {
		const char *path, *expected;
	} cases[] = {
		{ NULL, "/run/symbols" },
		{ "", "/run/symbols" },
		{ ";;C:\\a;C:\\b\\;", "/run/symbols | C:\\a | C:\\b\\" },
		{ "C:\\a;/run/symbols;C:\\a", "/run/symbols | C:\\a" },
		{ "srv*C:\\cache*https://msdl.microsoft.com/download/symbols",
		  "/run/symbols | C:\\cache" },
		{ "SRV*C:\\near*D:\\far*http://x", "/run/symbols | C:\\near | D:\\far" },
		{ "srv*https://x", "/run/symbols" },
		{ "srv**https://x", "/run/symbols" },
		{ "symsrv*symsrv.dll*C:\\cache*https://x", "/run/symbols | C:\\cache" },
		{ "cache*C:\\Symbols;srv*\\\\server\\symbols", "/run/symbols | C:\\Symbols" },
		{ "cache*", "/run/symbols" },
		{ "\\\\server\\share;//server/share;https://x/y", "/run/symbols" },
		{ "other*C:\\a*C:\\b", "/run/symbols" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_dirs(cases[i].path, cases[i].expected);
}

static const uint8_t id[PDB_ID_BYTES] = { 0x8d, 0x36, 0xe8, 0x3d, 0x1a, 0x53, 0x41,
					  0x45, 0x85, 0xa5, 0x44, 0xd4, 0xa7, 0xda,
					  0x39, 0x4d, 0x1c, 0,    0,    0 };

#define STORE "3DE8368D531A454185A544D4A7DA394D1C"
#define SMALL "3de8368d531a454185a544d4a7da394d1c"

static void pdb_store_name__age_in_hex_without_zeros(void **state)
{
	char *name = pdb_store_name(id);

	(void)state;
	assert_string_equal(name, STORE);
	free(name);
}

static void expect_paths(const char *image, const char *debug, const char *expected)
{
	struct strvec dirs = STRVEC_INIT, paths = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct pdb_search search;

	strvec_push(&dirs, "/s");
	pdb_search_init(&search, &dirs, NULL);
	pdb_search_add(&search, image, debug, id, &paths);
	for (size_t i = 0; i < paths.nr; i++)
		strbuf_addf(&text, "%s%s", i ? " | " : "", paths.v[i]);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
	strvec_release(&paths);
	strvec_release(&dirs);
	pdb_search_release(&search);
}

#define IN_DIR " | /s/a.pdb | /s/a.pdb/" STORE "/a.pdb | /s/a.pdb/" SMALL "/a.pdb"

static void pdb_search_add__next_to_the_image_then_as_linked_then_folders(void **state)
{
	static const struct {
		const char *image, *debug, *expected;
	} cases[] = {
		{ "C:\\bin\\a.dll", "D:\\obj\\a.pdb", "C:\\bin\\a.pdb | D:\\obj\\a.pdb" IN_DIR },
		{ "/bin/a.dll", "a.pdb", "/bin/a.pdb" IN_DIR },
		{ "C:\\bin\\a.dll", "obj\\a.pdb", "C:\\bin\\a.pdb" IN_DIR },
		{ "\\\\server\\a.dll", "\\\\server\\a.pdb", IN_DIR + 3 },
		{ "a.dll", "//server/a.pdb", IN_DIR + 3 },
		{ "C:\\bin\\a.dll", "", "" },
		{ "C:\\bin\\a.dll", "D:\\", "" },
		{ "C:\\bin\\a.dll", "C:\\x\\a:b.pdb", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_paths(cases[i].image, cases[i].debug, cases[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pdb_search_init__symbol_path__folders_of_this_machine_alone),
		cmocka_unit_test(pdb_store_name__age_in_hex_without_zeros),
		cmocka_unit_test(pdb_search_add__next_to_the_image_then_as_linked_then_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
