#include "symbol/symbolizer.h"

#include "pdb_fixture.h"
#include "platform/host.h"
#include "symbol/pdb/pdb_module.h"
#include "symbolizer_fixture.h"

static char image[] = "C:\\build\\stage1\\bin\\example.dll",
	    kernel[] = "\\SystemRoot\\ntoskrnl.exe";
static char debug[] = "C:\\build\\obj\\example.pdb", network[] = "\\\\server\\example.pdb";

/* What the trace says of the example: the GUID of pdb_writer_init(), and this age. */
static struct module traced(uint8_t age)
{
	struct module module = { .kind = MODULE_FILE,
				 .path = image,
				 .debug_path = debug,
				 .name = image,
				 .id_length = PDB_ID_BYTES };

	for (uint8_t i = 0; i < 16; i++)
		module.id[i] = (uint8_t)(i * 17);
	module.id[16] = age;
	return module;
}

static void write_example(const char *path, bool sections)
{
	struct pdb_writer writer;

	pdb_writer_init(&writer);
	pdb_writer_example(&writer);
	writer.age = 2;
	writer.no_sections = !sections;
	pdb_place_write(path, &writer);
}

static struct symbolizer *symbolizer_in(const char *dir, struct symbol_store *store)
{
	struct strvec dirs = STRVEC_INIT;
	struct symbolizer_options options = { .use_files = true,
					      .places.dirs = &dirs,
					      .store = store };
	struct symbolizer *symbolizer;

	strvec_push(&dirs, "/nonexistent");
	strvec_push(&dirs, dir);
	symbolizer = symbolizer_new(&options);
	strvec_release(&dirs);
	return symbolizer;
}

static void expect_names(struct symbolizer *symbolizer, const struct module *module,
			 enum symbol_flaw flaw, const char *from)
{
	struct module_names names = symbolizer_module_names(symbolizer, module);

	assert_false(names.kept);
	assert_int_equal(names.flaw, flaw);
	assert_int_equal(!names.why, !flaw);
	if (from)
		expect_path(names.from, from);
	else
		assert_null(names.from);
}

static void symbolizer_source__pdb__in_a_directory_or_a_store(void **state)
{
	const struct pdb_place *place = *state;
	struct module module = traced(2);
	char *store = module_symbol_id(module.id), *name = fs_join(place->dir, "example.pdb");
	char *dir = xasprintf("%s/%s", name, store), *file = fs_join(dir, "example.pdb");
	struct err err = ERR_INIT;

	for (int in_store = 0; in_store < 2; in_store++) {
		struct symbolizer *symbolizer;

		if (in_store) {
			assert_int_equal(fs_remove(name, &err), 0);
			assert_int_equal(fs_mkdir_all(dir, &err), 0);
		}
		write_example(in_store ? file : name, true);
		symbolizer = symbolizer_in(place->dir, NULL);
		expect_name(symbolizer, &module, 0x1010, "_RNvCs1_4crat5outer");
		expect_name(symbolizer, &module, 0x104f, "other");
		expect_name(symbolizer, &module, 0x1050, NULL);
		expect_notes(symbolizer, "");
		expect_names(symbolizer, &module, SYMBOL_FLAW_NONE, in_store ? file : name);
		symbolizer_free(symbolizer);
	}
	free(store);
	free(name);
	free(dir);
	free(file);
}

/* It goes by GUID and age; the name alone is worth nothing. */
static void symbolizer_source__other_pdb__is_not_taken(void **state)
{
	const struct pdb_place *place = *state;
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct module older = traced(1), other = traced(2), without = traced(2);
	char *notes;

	write_example(place->path, true);
	other.id[3] ^= 1;
	without.id_length = 0;
	memset(without.id, 0, sizeof(without.id));
	without.debug_path = network;
	expect_name(symbolizer, &older, 0x1010, NULL);
	expect_name(symbolizer, &other, 0x1010, NULL);
	expect_name(symbolizer, &without, 0x1010, NULL);
	notes = xasprintf("%s: its PDB 33221100554477668899AABBCCDDEEFF1 was not found; %s is "
			  "33221100554477668899AABBCCDDEEFF2\n"
			  "%s: its PDB 32221100554477668899AABBCCDDEEFF2 was not found; %s is "
			  "33221100554477668899AABBCCDDEEFF2\n"
			  "%s: the trace has no id of its PDB\n",
			  image, place->path, image, place->path, image);
	expect_notes(symbolizer, notes);
	expect_names(symbolizer, &older, SYMBOL_PDB_OTHER, NULL);
	expect_names(symbolizer, &other, SYMBOL_PDB_OTHER, NULL);
	expect_names(symbolizer, &without, SYMBOL_PDB_ID_MISSING, NULL);
	free(notes);
	symbolizer_free(symbolizer);
}

/* It is opened by the question alone. */
static void symbolizer_module_names__nothing_there__says_what_is_missing(void **state)
{
	const struct pdb_place *place = *state;
	char *path = fs_join(place->dir, "gone.so");
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct module pdb = traced(2);
	struct module file = { .kind = MODULE_FILE, .path = path };

	expect_names(symbolizer, &pdb, SYMBOL_PDB_MISSING, NULL);
	expect_names(symbolizer, &file, SYMBOL_FILE_MISSING, NULL);
	symbolizer_free(symbolizer);
	free(path);
}

static void symbolizer_explain__pdb_without_names__says_why(void **state)
{
	const struct pdb_place *place = *state;
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct module module = traced(2);
	struct strbuf junk = STRBUF_INIT;
	char *notes;

	write_example(place->path, false);
	expect_name(symbolizer, &module, 0x1010, NULL);
	notes = xasprintf("%s: %s does not say where its sections are\n", image, place->path);
	expect_notes(symbolizer, notes);
	free(notes);
	symbolizer_free(symbolizer);
	strbuf_adds(&junk, "no PDB at all");
	pdb_place_put(place->path, &junk);
	symbolizer = symbolizer_in(place->dir, NULL);
	expect_name(symbolizer, &module, 0x1010, NULL);
	notes = xasprintf(
		"%s: its PDB 33221100554477668899AABBCCDDEEFF2 was not found; %s: not a PDB\n",
		image, place->path);
	expect_notes(symbolizer, notes);
	free(notes);
	strbuf_release(&junk);
	symbolizer_free(symbolizer);
}

static void symbolizer_explain_flaws__says_which_are_missing(void **state)
{
	static char paths[5][24] = { "C:\\a.dll", "C:\\b.dll", "C:\\c.dll", "C:\\d.dll",
				     "C:\\e.dll" };
	static char missing[] = "C:\\missing.pdb";
	const struct pdb_place *place = *state;
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct strbuf notes = STRBUF_INIT;

	write_example(place->path, true);
	symbolizer_explain_flaws(symbolizer, &notes);
	assert_int_equal(notes.len, 0);
	/* The first has its PDB, the last one that of an other age, and another has no id. */
	for (uint8_t i = 0; i < 5; i++) {
		struct module module = traced(i == 4 ? 3 : 2);

		module.path = paths[i];
		if (i && i < 4) {
			module.debug_path = missing;
			module.id[0] = i;
		}
		if (i == 3)
			module.id_length = 0;
		expect_name(symbolizer, &module, 0x1010, i ? NULL : "_RNvCs1_4crat5outer");
	}
	symbolizer_explain_flaws(symbolizer, &notes);
	assert_string_equal(
		notes.buf,
		"no PDB was found for 2 modules (b.dll, c.dll), whose functions have no "
		"names: 'stagetrace symbols TRACE --fetch' asks servers for them, or set "
		"_NT_SYMBOL_PATH to where PDBs are\n"
		"only PDBs with another GUID or age were found for 1 module (e.dll), "
		"whose functions have no names: 'stagetrace symbols TRACE --fetch' asks "
		"servers for them, or set _NT_SYMBOL_PATH to where PDBs are\n");
	strbuf_clear(&notes);
	for (uint8_t i = 4; i < 6; i++) {
		struct module module = traced(i);

		module.debug_path = missing;
		expect_name(symbolizer, &module, 0x1010, NULL);
	}
	symbolizer_explain_flaws(symbolizer, &notes);
	assert_non_null(strstr(notes.buf, "for 4 modules (b.dll, c.dll, example.dll, ...), whose"));
	strbuf_release(&notes);
	symbolizer_free(symbolizer);
}

/* Drivers and the kernel of Windows are images with a PDB like others. */
static void symbolizer_source__kernel_of_windows__by_its_pdb(void **state)
{
	const struct pdb_place *place = *state;
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct module module = traced(2);

	write_example(place->path, true);
	module.kind = MODULE_KERNEL;
	module.path = kernel;
	expect_name(symbolizer, &module, 0x1010, "_RNvCs1_4crat5outer");
	expect_notes(symbolizer, "");
	symbolizer_free(symbolizer);
}

static void expect_lines(const struct symbol_store *store, const struct module *module)
{
	const struct symbol_line *lines;

	assert_int_equal(symbol_store_lines(store, module, 0x1008, &lines), 3);
	assert_string_equal(lines[0].function, "geo::square");
	assert_string_equal(lines[0].file, "C:\\src\\shape.h");
	assert_int_equal(lines[0].line, 8);
	assert_string_equal(lines[1].function, "Shape::area");
	assert_string_equal(lines[2].function, "_RNvCs1_4crat5outer");
	assert_int_equal(lines[2].line, 11);
	assert_int_equal(symbol_store_lines(store, module, 0x1030, &lines), 1);
	assert_int_equal(lines[0].line, 12);
	assert_int_equal(symbol_store_lines(store, module, 0x1040, &lines), 0);
}

/* Kept, written, read again: the same without the PDB. */
static void symbolizer_add_lines__pdb__are_kept_with_the_run(void **state)
{
	uint64_t offsets[] = { 0x1030, 0x1008, 0x1040 };
	const struct pdb_place *place = *state;
	struct symbolizer *symbolizer = symbolizer_in(place->dir, NULL);
	struct symbol_store *kept = symbol_store_new(), *again = symbol_store_new();
	struct symbolizer_options options = { .store = again };
	struct symbol_source source = symbolizer_source(symbolizer);
	struct module module = traced(2);
	struct module_places places = { &module, offsets, ARRAY_SIZE(offsets) };
	struct err err = ERR_INIT;
	struct symbol symbol;

	write_example(place->path, true);
	assert_true(source.find(source.data, &module, 0x1008, &symbol));
	symbol_store_add(kept, &module, &symbol);
	symbolizer_add_lines(symbolizer, &places, 1, kept);
	symbol_store_ready(kept);
	expect_lines(kept, &module);
	assert_int_equal(symbol_store_write_names(kept, place->dir, "symbols", &err), 0);
	assert_int_equal(symbol_store_write_stacks(kept, place->dir, "symbols", &err), 0);
	symbolizer_free(symbolizer);
	for (size_t i = 0; symbol_store_files[i]; i++) {
		char *path = xasprintf("%s/symbols/%s", place->dir, symbol_store_files[i]);
		struct strbuf text = STRBUF_INIT;
		uint64_t damaged = 0;

		assert_int_equal(fs_read(path, 1 << 20, &text, &err), 0);
		assert_int_equal(symbol_store_parse(again, symbol_store_files[i], text.buf,
						    text.len, &damaged, &err),
				 0);
		assert_int_equal(damaged, 0);
		strbuf_release(&text);
		free(path);
	}
	symbol_store_ready(again);
	symbolizer = symbolizer_new(&options);
	expect_name(symbolizer, &module, 0x103f, "_RNvCs1_4crat5outer");
	expect_lines(again, &module);
	symbolizer_free(symbolizer);
	symbol_store_free(kept);
	symbol_store_free(again);
}

static void symbolizer_open_files__two_at_once__the_same_names(void **state)
{
	const struct pdb_place *place = *state;
	struct module a = traced(2), b = traced(3);
	const struct module *modules[] = { &a, &b, &a };
	struct strvec dirs = STRVEC_INIT;
	struct symbolizer_options options = { .use_files = true,
					      .places.dirs = &dirs,
					      .threads = 2 };
	struct symbolizer *symbolizer;

	write_example(place->path, true);
	strvec_push(&dirs, place->dir);
	symbolizer = symbolizer_new(&options);
	symbolizer_open_files(symbolizer, modules, ARRAY_SIZE(modules));
	expect_name(symbolizer, &a, 0x1010, "_RNvCs1_4crat5outer");
	expect_name(symbolizer, &b, 0x1010, NULL);
	strvec_release(&dirs);
	symbolizer_free(symbolizer);
}

static void expect_dirs(const char *symbol_path, const char *expected)
{
	struct strvec first = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct pdb_search search;

	strvec_push(&first, "/run/symbols");
	strvec_push(&first, "\\\\server\\share");
	pdb_search_init(&search, &first, NULL, symbol_path);
	for (size_t i = 0; i < search.dirs.nr; i++)
		strbuf_addf(&text, "%s%s", i ? " | " : "", search.dirs.v[i]);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
	strvec_release(&first);
	pdb_search_release(&search);
}

static void pdb_search_init__symbol_path__directories_of_this_machine_alone(void **state)
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

static void module_symbol_id__age_in_hex_without_zeros(void **state)
{
	char *name = module_symbol_id(id);

	(void)state;
	assert_string_equal(name, STORE);
	free(name);
}

static void expect_paths(const char *file, const char *linked, const char *expected)
{
	struct strvec dirs = STRVEC_INIT, paths = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct pdb_search search;

	strvec_push(&dirs, "/s");
	pdb_search_init(&search, &dirs, NULL, NULL);
	pdb_search_add(&search, file, linked, id, &paths);
	for (size_t i = 0; i < paths.nr; i++)
		strbuf_addf(&text, "%s%s", i ? " | " : "", paths.v[i]);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
	strvec_release(&paths);
	strvec_release(&dirs);
	pdb_search_release(&search);
}

#define IN_DIR " | /s/a.pdb | /s/a.pdb/" STORE "/a.pdb | /s/a.pdb/" SMALL "/a.pdb"

/* Elsewhere a path of Windows would be relative: "C:/../x" below a directory named "C:". */
static void pdb_search_add__next_to_the_image_then_as_linked_then_directories(void **state)
{
	static const struct {
		const char *image, *debug, *on_windows, *elsewhere;
	} cases[] = {
		{ "C:\\bin\\a.dll", "D:\\obj\\a.pdb", "C:\\bin\\a.pdb | D:\\obj\\a.pdb" IN_DIR,
		  IN_DIR + 3 },
		{ "/bin/a.dll", "a.pdb", "/bin/a.pdb" IN_DIR, "/bin/a.pdb" IN_DIR },
		{ "C:\\bin\\a.dll", "obj\\a.pdb", "C:\\bin\\a.pdb" IN_DIR, IN_DIR + 3 },
		{ "C:/bin/a.dll", "C:a.pdb", "", "" },
		{ "C:/bin/a.dll", "C:/../a.pdb", "C:/bin/a.pdb | C:/../a.pdb" IN_DIR, IN_DIR + 3 },
		{ "\\bin\\a.dll", "\\..\\a.pdb", "\\bin\\a.pdb | \\..\\a.pdb" IN_DIR, IN_DIR + 3 },
		{ "\\\\server\\a.dll", "\\\\server\\a.pdb", IN_DIR + 3, IN_DIR + 3 },
		{ "a.dll", "//server/a.pdb", IN_DIR + 3, IN_DIR + 3 },
		{ "C:\\bin\\a.dll", "", "", "" },
		{ "C:\\bin\\a.dll", "D:\\", "", "" },
		{ "C:\\bin\\a.dll", "C:\\x\\a:b.pdb", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_paths(cases[i].image, cases[i].debug,
			     host_is_windows() ? cases[i].on_windows : cases[i].elsewhere);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pdb_place_setup, pdb_place_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(symbolizer_source__pdb__in_a_directory_or_a_store),
		TEST(symbolizer_source__other_pdb__is_not_taken),
		TEST(symbolizer_module_names__nothing_there__says_what_is_missing),
		TEST(symbolizer_explain__pdb_without_names__says_why),
		TEST(symbolizer_explain_flaws__says_which_are_missing),
		TEST(symbolizer_source__kernel_of_windows__by_its_pdb),
		TEST(symbolizer_add_lines__pdb__are_kept_with_the_run),
		TEST(symbolizer_open_files__two_at_once__the_same_names),
		cmocka_unit_test(pdb_search_init__symbol_path__directories_of_this_machine_alone),
		cmocka_unit_test(module_symbol_id__age_in_hex_without_zeros),
		cmocka_unit_test(pdb_search_add__next_to_the_image_then_as_linked_then_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
