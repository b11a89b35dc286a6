#include "symbol/id_file.h"

#include "pdb_fixture.h"

static char pdb_path[] = "C:\\build\\obj\\rustc_driver.pdb", elf_path[] = "/b/librustc_driver.so";

static struct module module_of(char *debug_path, uint8_t age)
{
	struct module module = { .kind = MODULE_FILE,
				 .path = elf_path,
				 .debug_path = debug_path,
				 .id_length = debug_path ? PDB_ID_BYTES : 20 };

	for (uint8_t i = 0; i < 16; i++)
		module.id[i] = (uint8_t)(i * 17);
	module.id[16] = age;
	return module;
}

static void expect(const struct module *module, const char *expected)
{
	char *name = id_file_name(module);

	if (expected)
		assert_string_equal(name, expected);
	else
		assert_null(name);
	free(name);
}

static void id_file_name__pdb_and_elf__as_stores_have_them(void **state)
{
	struct module pdb = module_of(pdb_path, 0x2b), elf = module_of(NULL, 0x2b);

	(void)state;
	expect(&pdb, "rustc_driver.pdb/33221100554477668899AABBCCDDEEFF2B/rustc_driver.pdb");
	expect(&elf, ".build-id/00/112233445566778899aabbccddeeff2b000000.debug");
	elf.id_length = 1;
	expect(&elf, NULL);
	elf.id_length = 8;
	expect(&elf, ".build-id/00/11223344556677.debug");
	elf.kind = MODULE_KERNEL;
	expect(&elf, NULL);
	pdb.id_length = 0;
	expect(&pdb, NULL);
}

/* It becomes the name of a file of any system. */
static void id_file_name__hostile_pdb_name__none(void **state)
{
	static const char *const names[] = {
		"C:\\a\\..", "C:\\a\\.",    "",           "C:\\a\\",  "..",
		"a:b.pdb",   "/x/a\nb.pdb", "/x/a?b.pdb", "a%PATH%b", ".hidden.pdb",
		"a.pdb.",    "a.pdb ",      "a\"b.pdb",   "x|y.pdb",  "a;b.pdb",
	};
	char longer[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *copy = xstrdup(names[i]);
		struct module module = module_of(copy, 1);

		expect(&module, NULL);
		free(copy);
	}
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	expect(&(struct module){ .kind = MODULE_FILE,
				 .path = elf_path,
				 .debug_path = longer,
				 .id_length = PDB_ID_BYTES },
	       NULL);
}

static void id_file_check__pdb__by_guid_and_age_and_whole(void **state)
{
	const struct pdb_place *place = *state;
	struct module module = module_of(pdb_path, 2), older = module_of(pdb_path, 1);
	struct strbuf bytes = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct pdb_writer writer;

	pdb_writer_init(&writer);
	pdb_writer_example(&writer);
	writer.age = 2;
	pdb_writer_finish(&writer, &bytes);
	pdb_writer_release(&writer);
	pdb_place_put(place->path, &bytes);
	assert_int_equal(id_file_check(place->path, &module, &err), 0);
	assert_int_equal(id_file_check(place->path, &older, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_string_equal(err.msg,
			    "its GUID and age are others: 33221100554477668899AABBCCDDEEFF2");
	err_clear(&err);
	/* Its last pages are missing: an empty file, one without a directory, one that is not whole. */
	for (size_t nr = 0; nr < bytes.len; nr += bytes.len / 4) {
		struct strbuf part = STRBUF_INIT;

		strbuf_add(&part, bytes.buf, nr);
		pdb_place_put(place->path, &part);
		assert_int_equal(id_file_check(place->path, &module, &err), -1);
		assert_int_equal(err.code, ERR_CORRUPT);
		err_clear(&err);
		strbuf_release(&part);
	}
	strbuf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_file_name__pdb_and_elf__as_stores_have_them),
		cmocka_unit_test(id_file_name__hostile_pdb_name__none),
		cmocka_unit_test_setup_teardown(id_file_check__pdb__by_guid_and_age_and_whole,
						pdb_place_setup, pdb_place_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
