#include "symbol/pdb/pdb_symbols.h"

#include "pdb_fixture.h"

static void put_thunk(struct strbuf *to, uint32_t offset, unsigned length, const char *name)
{
	size_t begin = pdb_record_begin(to, 0x1102);

	for (int i = 0; i < 3; i++)
		put32(to, 0);
	put32(to, offset);
	put16(to, 1);
	put16(to, length);
	strbuf_addc(to, '\0');
	put_string(to, name);
	pdb_record_end(to, begin);
}

static void put_separated(struct strbuf *to, uint32_t offset, uint32_t length, uint32_t parent)
{
	size_t begin = pdb_record_begin(to, 0x1132);

	put32(to, 0);
	put32(to, 0);
	put32(to, length);
	put32(to, 0);
	put32(to, offset);
	put32(to, parent);
	put16(to, 1);
	put16(to, 1);
	pdb_record_end(to, begin);
}

/* One section of code at 0x1000, one of data at 0x3000. */
static void begin(struct pdb_writer *writer)
{
	pdb_writer_init(writer);
	pdb_writer_section(&writer->sections, 0x1000, 0x2000, true);
	pdb_writer_section(&writer->sections, 0x3000, 0x1000, false);
}

static struct pdb_open finish(const struct pdb_place *place, struct pdb_writer *writer)
{
	pdb_place_write(place->path, writer);
	return pdb_open(place->path);
}

static void add_module(struct pdb_writer *writer, const char *name, struct strbuf *symbols)
{
	struct strbuf none = STRBUF_INIT;

	pdb_writer_module(writer, name, symbols, &none);
	strbuf_release(symbols);
}

static void pdb_symbols_find__example__public_names_of_whole_procedures(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;
	struct pdb_open open;

	pdb_writer_init(&writer);
	pdb_writer_example(&writer);
	open = finish(place, &writer);
	assert_int_equal(pdb_symbols_nr(open.symbols), 2);
	pdb_expect(&open, 0xfff, NULL, 0, 0);
	pdb_expect(&open, 0x1000, "_RNvCs1_4crat5outer", 0x1000, 0x1040);
	pdb_expect(&open, 0x103f, "_RNvCs1_4crat5outer", 0x1000, 0x1040);
	pdb_expect(&open, 0x1040, "other", 0x1040, 0x1050);
	pdb_expect(&open, 0x104f, "other", 0x1040, 0x1050);
	pdb_expect(&open, 0x1050, NULL, 0, 0);
	pdb_expect(&open, 0x2000, NULL, 0, 0);
	pdb_expect(&open, UINT64_MAX, NULL, 0, 0);
	pdb_close(&open);
}

/* A neighbour's name is worse than none. */
static void pdb_symbols_find__public__ends_at_next_or_with_its_piece(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	pdb_writer_contribution(&writer, 1, 0x10, 0x20, 0);
	pdb_writer_contribution(&writer, 1, 0x40, 0x30, 0);
	pdb_put_public(&writer.publics, 1, 0x10, "a");
	pdb_put_public(&writer.publics, 1, 0x40, "b");
	pdb_put_public(&writer.publics, 1, 0x60, "d");
	pdb_put_public(&writer.publics, 1, 0x1ff0, "in no piece");
	pdb_put_public(&writer.publics, 1, 0x2000, "behind the section");
	pdb_put_public(&writer.publics, 0, 0, "of no section");
	pdb_put_public(&writer.publics, 9, 0, "nor this");
	pdb_put_procedure(&symbols, 1, 0x50, 8, "c");
	add_module(&writer, "m", &symbols);
	open = finish(place, &writer);
	pdb_expect(&open, 0x100f, NULL, 0, 0);
	pdb_expect(&open, 0x102f, "a", 0x1010, 0x1030);
	pdb_expect(&open, 0x1030, NULL, 0, 0);
	pdb_expect(&open, 0x104f, "b", 0x1040, 0x1050);
	pdb_expect(&open, 0x1057, "c", 0x1050, 0x1058);
	pdb_expect(&open, 0x1058, NULL, 0, 0);
	pdb_expect(&open, 0x106f, "d", 0x1060, 0x1070);
	pdb_expect(&open, 0x2fff, "in no piece", 0x2ff0, 0x3000);
	assert_int_equal(pdb_symbols_nr(open.symbols), 5);
	assert_int_equal(pdb_symbols_seen(open.symbols), 8);
	pdb_close(&open);
}

static void pdb_symbols_find__several_names__the_readable_one(void **state)
{
	static const struct {
		const char *public, *procedure, *shown;
		size_t also;
		unsigned machine;
	} cases[] = {
		{ "_RNvCs1_1a1f", "a::f", "_RNvCs1_1a1f", 0, 0 },
		{ "_ZN1a1f17h0123456789abcdefE", "a::f", "_ZN1a1f17h0123456789abcdefE", 0, 0 },
		{ "?f@a@@YAXXZ", "a::f", "a::f", 0, 0 },
		{ "memcpy", "memmove", "memmove", 1, 0 },
		{ "main", "main", "main", 0, 0 },
		{ "_main", "main", "main", 1, 0 },
		{ "_main", "main", "main", 0, PDB_MACHINE_X86 },
		{ "@quick@8", "quick", "quick", 0, PDB_MACHINE_X86 },
		{ "__RNvCs1_1a1f", "a::f", "__RNvCs1_1a1f", 0, PDB_MACHINE_X86 },
		{ "?f@a@@YAXXZ", NULL, "?f@a@@YAXXZ", 0, 0 },
		{ NULL, "a::f", "a::f", 0, 0 },
		/* ARM64EC */
		{ "#_RNvCs1_1a1f", "a::f", "_RNvCs1_1a1f", 0, 0 },
		{ "#main", NULL, "main", 0, 0 },
		{ "#", NULL, "#", 0, 0 },
	};
	const struct pdb_place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf symbols = STRBUF_INIT;
		struct pdb_writer writer;
		struct symbol symbol;
		struct pdb_open open;

		begin(&writer);
		writer.machine = cases[i].machine;
		if (cases[i].public)
			pdb_put_public(&writer.publics, 1, 0, cases[i].public);
		if (cases[i].procedure)
			pdb_put_procedure(&symbols, 1, 0, 16, cases[i].procedure);
		pdb_writer_contribution(&writer, 1, 0, 16, 0);
		add_module(&writer, "m", &symbols);
		open = finish(place, &writer);
		pdb_expect(&open, 0x100f, cases[i].shown, 0x1000, 0x1010);
		assert_true(pdb_symbols_find(open.symbols, 0x1000, &symbol));
		assert_int_equal(symbol.also_nr, cases[i].also);
		pdb_close(&open);
	}
}

/* Records of an earlier link are still in the stream, which alone does not distinguish them. */
static void pdb_symbols_find__stale_publics__do_not_count(void **state)
{
	const struct pdb_place *place = *state;

	for (int mapped = 0; mapped < 2; mapped++) {
		struct pdb_writer writer;
		struct pdb_open open;

		begin(&writer);
		writer.no_map = !mapped;
		pdb_put_public(&writer.stale, 1, 0x20, "stale");
		pdb_put_public(&writer.publics, 1, 0x30, "b");
		pdb_put_public(&writer.publics, 1, 0x10, "a");
		open = finish(place, &writer);
		assert_int_equal(pdb_symbols_seen(open.symbols), mapped ? 2 : 3);
		pdb_expect(&open, 0x1010, "a", 0x1010, mapped ? 0x1030 : 0x1020);
		pdb_expect(&open, 0x1030, "b", 0x1030, 0x3000);
		pdb_close(&open);
	}
}

/* A name of 64 KB could be that of each of thousands of records. */
static void pdb_publics_read__records_within_a_record__do_not_count(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;
	struct pdb_open open;
	size_t outer;

	begin(&writer);
	writer.map_overlaps = true;
	outer = pdb_record_begin(&writer.publics, 0x110e);
	put32(&writer.publics, 0);
	put32(&writer.publics, 0x10);
	put16(&writer.publics, 1);
	put_string(&writer.publics, "outer");
	pdb_put_public(&writer.publics, 1, 0x20, "inner");
	pdb_record_end(&writer.publics, outer);
	pdb_put_public(&writer.publics, 1, 0x30, "next");
	open = finish(place, &writer);
	assert_int_equal(pdb_symbols_seen(open.symbols), 2);
	pdb_expect(&open, 0x1020, "outer", 0x1010, 0x1030);
	pdb_expect(&open, 0x1030, "next", 0x1030, 0x3000);
	pdb_close(&open);
}

/* Of what the linker made one: the procedure of the module whose code it is, the last public. */
static void pdb_symbols_find__folded__one_stands_for_all(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct pdb_writer writer;
	struct symbol symbol;
	struct pdb_open open;

	begin(&writer);
	pdb_put_procedure(&first, 1, 0, 16, "gone");
	pdb_put_procedure(&second, 1, 0, 16, "kept");
	pdb_put_procedure(&second, 1, 0, 16, "gone too");
	pdb_put_procedure(&second, 1, 0x20, 16, "b");
	pdb_put_public(&writer.publics, 1, 0x20, "_RNvCs1_1a1x");
	pdb_put_public(&writer.publics, 1, 0x20, "_RNvCs1_1a1z");
	pdb_put_public(&writer.publics, 1, 0x20, "_RNvCs1_1a1y");
	pdb_writer_contribution(&writer, 1, 0, 0x30, 1);
	add_module(&writer, "first", &first);
	add_module(&writer, "second", &second);
	open = finish(place, &writer);
	pdb_expect(&open, 0x1008, "kept", 0x1000, 0x1010);
	assert_true(pdb_symbols_find(open.symbols, 0x1000, &symbol));
	assert_int_equal(symbol.also_nr, 2);
	pdb_expect(&open, 0x1028, "_RNvCs1_1a1z", 0x1020, 0x1030);
	pdb_close(&open);
}

static void pdb_symbols_find__thunks_and_separated_code(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT;
	struct symbol procedure, separated;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	pdb_put_procedure(&symbols, 1, 0x100, 0x10, "parted");
	put_thunk(&symbols, 0x200, 6, "imported");
	put_separated(&symbols, 0x300, 0x20, 0x100);
	put_separated(&symbols, 0x400, 0x20, 0x101); /* of nothing */
	add_module(&writer, "m", &symbols);
	open = finish(place, &writer);
	pdb_expect(&open, 0x110f, "parted", 0x1100, 0x1110);
	pdb_expect(&open, 0x1205, "imported", 0x1200, 0x1206);
	pdb_expect(&open, 0x131f, "parted", 0x1300, 0x1320);
	/* One long name could be that of thousands of pieces. */
	assert_true(pdb_symbols_find(open.symbols, 0x1100, &procedure));
	assert_true(pdb_symbols_find(open.symbols, 0x1300, &separated));
	assert_ptr_equal(separated.name, procedure.name);
	pdb_expect(&open, 0x1400, NULL, 0, 0);
	pdb_close(&open);
}

/* Each of them would look through all that stood before it. */
static void pdb_symbols_find__much_separated_code(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT;
	struct pdb_writer writer;
	struct pdb_open open;

	pdb_writer_init(&writer);
	pdb_writer_section(&writer.sections, 0x1000, 0x2000000, true);
	pdb_put_procedure(&symbols, 1, 0x100, 0x10, "parted");
	for (uint32_t i = 1; i < 100000; i++)
		pdb_put_procedure(&symbols, 1, 0x100 + i * 0x40, 0x10, "whole");
	for (uint32_t i = 0; i < 100000; i++)
		put_separated(&symbols, 0x120 + i * 0x40, 0x10, i % 2 ? 0x101 : 0x100);
	add_module(&writer, "m", &symbols);
	open = finish(place, &writer);
	pdb_expect(&open, 0x1120, "parted", 0x1120, 0x1130);
	pdb_expect(&open, 0x1160, NULL, 0, 0);
	pdb_expect(&open, 0x1120 + 99998 * 0x40, "parted", 0x1120 + 99998 * 0x40,
		   0x1130 + 99998 * 0x40);
	pdb_close(&open);
}

/* Pieces of 0x10 bytes: that of 0x1000 went to 0x5000, of 0x1010 to 0x4000; 0x4010 was added. */
static void pdb_symbols_find__image_put_in_another_order(void **state)
{
	static const uint32_t map[][2] = { { 0x4000, 0x1010 }, { 0x4010, 0 },
					   { 0x4018, 0x1020 }, { 0x4020, 0 },
					   { 0x5000, 0x1000 }, { 0x5010, 0 } };
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT;
	struct pdb_writer writer;
	struct pdb_open open;

	pdb_writer_init(&writer);
	pdb_writer_section(&writer.sections, 0x4000, 0x2000, true);
	pdb_writer_section(&writer.original_sections, 0x1000, 0x1000, true);
	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		put32(&writer.omap, map[i][0]);
		put32(&writer.omap, map[i][1]);
	}
	pdb_put_procedure(&symbols, 1, 4, 0x1c, "torn");
	pdb_put_procedure(&symbols, 1, 0x20, 8, "whole");
	add_module(&writer, "m", &symbols);
	open = finish(place, &writer);
	pdb_expect(&open, 0x5003, NULL, 0, 0);
	pdb_expect(&open, 0x5004, "torn", 0x5004, 0x5010);
	pdb_expect(&open, 0x500f, "torn", 0x5004, 0x5010);
	pdb_expect(&open, 0x4008, "torn", 0x4000, 0x4010);
	pdb_expect(&open, 0x4010, NULL, 0, 0);
	pdb_expect(&open, 0x401f, "whole", 0x4018, 0x4020);
	pdb_expect(&open, 0x4020, NULL, 0, 0);
	pdb_expect(&open, 0x1004, NULL, 0, 0);
	pdb_close(&open);
}

static void pdb_symbols_find__sections_as_linked_cut_short__others_count(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	put32(&writer.omap, 0x1000);
	put32(&writer.omap, 0x1000);
	strbuf_adds(&writer.original_sections, ".text");
	pdb_put_public(&writer.publics, 1, 0, "a");
	open = finish(place, &writer);
	assert_int_equal(open.file->omap_nr, 1);
	assert_int_equal(pdb_symbols_nr(open.symbols), 1);
	pdb_close(&open);
}

static void pdb_symbols_seen__no_sections__but_symbols(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	writer.no_sections = true;
	pdb_put_public(&writer.publics, 1, 0, "a");
	open = finish(place, &writer);
	assert_int_equal(pdb_symbols_nr(open.symbols), 0);
	assert_int_equal(pdb_symbols_seen(open.symbols), 1);
	pdb_expect(&open, 0x1000, NULL, 0, 0);
	pdb_close(&open);
}

/* The same stream as two modules: it is not read more often than the file is large. */
static void pdb_symbols_new__modules_of_one_stream__are_bounded(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT, once = STRBUF_INIT;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	for (unsigned i = 0; i < 64; i++)
		pdb_put_procedure(&symbols, 1, i * 16, 16, "f");
	add_module(&writer, "m", &symbols);
	strbuf_add(&once, writer.modules.buf, writer.modules.len);
	for (int i = 0; i < 1000; i++)
		strbuf_add(&writer.modules, once.buf, once.len);
	open = finish(place, &writer);
	assert_int_equal(open.file->modules_nr, 1001);
	assert_in_range(pdb_symbols_seen(open.symbols), 64, 64 * 60);
	pdb_close(&open);
	strbuf_release(&once);
}

static void pdb_file_open__two_ages__that_of_the_modules_counts(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;
	struct pdb_open open;

	begin(&writer);
	writer.info_age = 7;
	writer.age = 0x0102;
	open = finish(place, &writer);
	assert_int_equal(open.file->info_age, 7);
	assert_int_equal(open.file->age, 0x0102);
	for (uint8_t i = 0; i < 16; i++)
		assert_int_equal(open.file->id[i], i * 17);
	assert_memory_equal(open.file->id + 16, "\2\1\0\0", 4);
	pdb_close(&open);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pdb_place_setup, pdb_place_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pdb_symbols_find__example__public_names_of_whole_procedures),
		TEST(pdb_symbols_find__public__ends_at_next_or_with_its_piece),
		TEST(pdb_symbols_find__several_names__the_readable_one),
		TEST(pdb_symbols_find__stale_publics__do_not_count),
		TEST(pdb_publics_read__records_within_a_record__do_not_count),
		TEST(pdb_symbols_find__folded__one_stands_for_all),
		TEST(pdb_symbols_find__thunks_and_separated_code),
		TEST(pdb_symbols_find__much_separated_code),
		TEST(pdb_symbols_find__image_put_in_another_order),
		TEST(pdb_symbols_find__sections_as_linked_cut_short__others_count),
		TEST(pdb_symbols_seen__no_sections__but_symbols),
		TEST(pdb_symbols_new__modules_of_one_stream__are_bounded),
		TEST(pdb_file_open__two_ages__that_of_the_modules_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
