#include "symbol/pdb/pdb_lines.h"

#include <stdio.h>

#include "pdb_fixture.h"
#include "util/text.h"

/* What is found at addresses, a line each, in the order of the addresses. */
struct found {
	char *v[64];
};

static void take(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	struct found *found = data;
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%s %s:%u", i ? " < " : "",
			    lines[i].function ? lines[i].function : "?",
			    lines[i].file ? text_file_name(lines[i].file) : "?", lines[i].line);
	assert_null(found->v[index]);
	found->v[index] = strbuf_detach(&text);
}

static void expect_lines(const char *path, const uint64_t *rvas, const char *const *expected,
			 size_t nr)
{
	struct pdb_open open = pdb_open(path);
	struct pdb_lines *lines = pdb_lines_new(open.file, open.symbols);
	struct found found = { { NULL } };

	assert_true(nr <= ARRAY_SIZE(found.v));
	pdb_lines_find(lines, rvas, nr, (struct line_sink){ &found, take });
	for (size_t i = 0; i < nr; i++) {
		if (expected[i])
			assert_string_equal(found.v[i] ? found.v[i] : "", expected[i]);
		else
			assert_null(found.v[i]);
		free(found.v[i]);
	}
	pdb_lines_free(lines);
	pdb_close(&open);
}

#define OUTER "_RNvCs1_4crat5outer main.c:"
#define AREA  "Shape::area shape.h:"

static const uint64_t places[] = { 0xfff,  0x1000, 0x1003, 0x1004, 0x1007, 0x1008, 0x100f, 0x1010,
				   0x101f, 0x1020, 0x1028, 0x102f, 0x1030, 0x1040, 0x5000 };
static const char *const chains[] = {
	NULL,
	OUTER "10",
	OUTER "10",
	AREA "20 < " OUTER "11",
	AREA "20 < " OUTER "11",
	"geo::square shape.h:8 < " AREA "20 < " OUTER "11",
	"geo::square shape.h:8 < " AREA "20 < " OUTER "11",
	AREA "22 < " OUTER "11",
	AREA "22 < " OUTER "11",
	OUTER "11",
	AREA "20 < " OUTER "11",
	AREA "20 < " OUTER "11",
	OUTER "12",
	NULL,
	NULL,
};

static void pdb_lines_find__example__chains_of_what_was_inlined(void **state)
{
	const struct pdb_place *place = *state;

	for (int scatter = 0; scatter < 2; scatter++) {
		struct pdb_writer writer;

		pdb_writer_init(&writer);
		writer.scatter = scatter;
		pdb_writer_example(&writer);
		pdb_place_write(place->path, &writer);
		expect_lines(place->path, places, chains, ARRAY_SIZE(places));
	}
}

/* Names of ids are found by walking, then. */
static void pdb_lines_find__no_marks_of_types__the_same(void **state)
{
	const struct pdb_place *place = *state;
	struct pdb_writer writer;

	pdb_writer_init(&writer);
	writer.no_marks = true;
	for (int i = 0; i < 2000; i++) {
		pdb_writer_id(&writer, 0x1601, 0, "before the others");
		pdb_writer_class(&writer, "Before");
	}
	pdb_writer_example(&writer);
	pdb_place_write(place->path, &writer);
	expect_lines(place->path, places, chains, ARRAY_SIZE(places));
}

static void put_lines(struct strbuf *to, uint32_t offset, uint32_t length, bool columns,
		      const uint32_t (*lines)[2], uint32_t nr)
{
	size_t begin = pdb_table_begin(to, 0xf2);

	put32(to, offset);
	put16(to, 1);
	put16(to, columns);
	put32(to, length);
	put32(to, 0);
	put32(to, nr);
	put32(to, 0);
	for (uint32_t i = 0; i < nr; i++) {
		put32(to, lines[i][0]);
		put32(to, lines[i][1]);
	}
	for (uint32_t i = 0; columns && i < nr; i++)
		put32(to, 0);
	/* A second block, which goes between. */
	put32(to, 8);
	put32(to, 1);
	put32(to, 0);
	put32(to, 6);
	put32(to, 99);
	if (columns)
		put32(to, 0);
	pdb_table_end(to, begin);
}

static void put_two_files(struct pdb_writer *writer, struct strbuf *tables)
{
	size_t begin = pdb_table_begin(tables, 0xf4);

	put32(tables, pdb_writer_name(writer, "a.c"));
	put32(tables, 0);
	put32(tables, pdb_writer_name(writer, "b.h"));
	put32(tables, 0);
	pdb_table_end(tables, begin);
}

/*
 * Lines 0xf00f00 and 0xfeefee are of no line; of two on one address the first has it, the last what follows; of two
 * tables on one the first.
 */
static void pdb_lines_find__tables__of_several_forms(void **state)
{
	static const uint32_t lines[][2] = { { 0, 1 },        { 0, 2 },  { 4, 0xf00f00 },
					     { 8, 0xfeefee }, { 12, 3 }, { 64, 4 } };
	static const uint32_t others[][2] = { { 0, 50 } };
	static const uint64_t rvas[] = { 0x1000, 0x1001, 0x1004, 0x1006,
					 0x1008, 0x100c, 0x100f, 0x1010 };
	static const char *const expected[] = { "f a.c:1", "f a.c:2", "f a.c:0", "f b.h:99",
						"f a.c:0", "f a.c:3", "f a.c:3", NULL };
	const struct pdb_place *place = *state;

	for (int columns = 0; columns < 2; columns++) {
		struct strbuf symbols = STRBUF_INIT, tables = STRBUF_INIT;
		struct pdb_writer writer;

		pdb_writer_init(&writer);
		pdb_writer_section(&writer.sections, 0x1000, 0x1000, true);
		pdb_writer_contribution(&writer, 1, 0, 0x20, 0);
		pdb_put_procedure(&symbols, 1, 0, 16, "f");
		put_lines(&tables, 0, 16, columns, lines, ARRAY_SIZE(lines));
		put_lines(&tables, 0, 16, columns, others, ARRAY_SIZE(others));
		put_two_files(&writer, &tables);
		pdb_writer_module(&writer, "m", &symbols, &tables);
		pdb_place_write(place->path, &writer);
		expect_lines(place->path, rvas, expected, ARRAY_SIZE(rvas));
		strbuf_release(&symbols);
		strbuf_release(&tables);
	}
}

static void put_inlined(struct strbuf *symbols, uint32_t id)
{
	static const char program[] = { 3, 0, 4, 16 };
	size_t begin = pdb_record_begin(symbols, 0x115d);

	put32(symbols, 0);
	put32(symbols, 0);
	put32(symbols, id);
	put32(symbols, 1); /* calls of it */
	strbuf_add(symbols, program, sizeof(program));
	pdb_record_end(symbols, begin);
	pdb_record_end(symbols, pdb_record_begin(symbols, 0x114e));
}

/* The second import of the second module that it imports from; that one writes its name in another case. */
static void pdb_lines_find__inlined_across_modules__named_by_the_other(void **state)
{
	static const uint64_t rvas[] = { 0x1000, 0x1010, 0x1020 };
	static const char *const expected[] = { "far a.c:5 < f ?:0", "? ?:0 < g ?:0",
						"? ?:0 < h ?:0" };
	const struct pdb_place *place = *state;
	struct strbuf symbols = STRBUF_INIT, tables = STRBUF_INIT, other = STRBUF_INIT,
		      none = STRBUF_INIT;
	struct pdb_writer writer;
	uint32_t id;
	size_t begin;

	pdb_writer_init(&writer);
	pdb_writer_section(&writer.sections, 0x1000, 0x1000, true);
	pdb_writer_contribution(&writer, 1, 0, 0x30, 0);
	pdb_writer_id(&writer, 0x1601, 0, "near");
	id = pdb_writer_id(&writer, 0x1601, 0, "far");
	pdb_put_procedure(&symbols, 1, 0, 16, "f");
	put_inlined(&symbols, 0x80100001);
	pdb_record_end(&symbols, pdb_record_begin(&symbols, 6));
	pdb_put_procedure(&symbols, 1, 16, 16, "g");
	put_inlined(&symbols, 0x80100009); /* there are two */
	pdb_record_end(&symbols, pdb_record_begin(&symbols, 6));
	pdb_put_procedure(&symbols, 1, 32, 16, "h");
	put_inlined(&symbols, 0x80000000); /* of a module that is not there */
	pdb_record_end(&symbols, pdb_record_begin(&symbols, 6));
	put_two_files(&writer, &tables);
	begin = pdb_table_begin(&tables, 0xf7);
	put32(&tables, pdb_writer_name(&writer, "not there"));
	put32(&tables, 1);
	put32(&tables, 0x80000002);
	put32(&tables, pdb_writer_name(&writer, "c:\\obj\\other.OBJ"));
	put32(&tables, 2);
	put32(&tables, 0x80000001);
	put32(&tables, 0x80000002);
	pdb_table_end(&tables, begin);
	begin = pdb_table_begin(&tables, 0xf6);
	put32(&tables, 1); /* with more files, of which the first inlinee has two */
	put32(&tables, 0x80100000);
	put32(&tables, 8);
	put32(&tables, 4);
	put32(&tables, 2);
	put32(&tables, 0);
	put32(&tables, 8);
	put32(&tables, 0x80100001);
	put32(&tables, 0);
	put32(&tables, 5);
	put32(&tables, 0);
	pdb_table_end(&tables, begin);
	begin = pdb_table_begin(&other, 0xf8);
	put32(&other, 0x80000002);
	put32(&other, id);
	put32(&other, 0x80000001);
	put32(&other, id - 1);
	pdb_table_end(&other, begin);
	pdb_writer_module(&writer, "this", &symbols, &tables);
	pdb_writer_module(&writer, "C:\\Obj\\Other.obj", &none, &other);
	pdb_place_write(place->path, &writer);
	expect_lines(place->path, rvas, expected, ARRAY_SIZE(rvas));
	strbuf_release(&symbols);
	strbuf_release(&tables);
	strbuf_release(&other);
}

static void take_nothing(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	size_t *found = data;

	assert_true(nr && index < ARRAY_SIZE(places));
	for (size_t i = 0; i < nr; i++)
		*found += lines[i].line;
}

/* Opened and asked, if it opens. */
static bool try_file(const char *path, size_t *found)
{
	struct err err = ERR_INIT;
	struct pdb_lines *lines;
	struct pdb_open open;

	if (pdb_file_open(path, &open.file, &err)) {
		err_clear(&err);
		return false;
	}
	pdb_file_read(open.file);
	open.symbols = pdb_symbols_new(open.file);
	lines = pdb_lines_new(open.file, open.symbols);
	pdb_lines_find(lines, places, ARRAY_SIZE(places),
		       (struct line_sink){ found, take_nothing });
	pdb_lines_free(lines);
	pdb_close(&open);
	return true;
}

static void pdb_lines_find__damaged_anywhere__does_not_crash(void **state)
{
	static const unsigned char values[] = { 0xff, 0, 0x80, 1 };
	const struct pdb_place *place = *state;
	struct strbuf bytes = STRBUF_INIT;
	size_t found = 0, opened = 0, all;
	struct pdb_writer writer;

	pdb_writer_init(&writer);
	pdb_writer_example(&writer);
	pdb_writer_finish(&writer, &bytes);
	pdb_place_put(place->path, &bytes);
	assert_true(try_file(place->path, &found));
	assert_in_range(found, 100, 400);
	all = bytes.len;
	for (size_t at = 0; at < all; at += 3) {
		char was = bytes.buf[at];

		bytes.buf[at] = (char)values[at % 4];
		pdb_place_put(place->path, &bytes);
		opened += try_file(place->path, &found);
		bytes.buf[at] = was;
	}
	assert_in_range(opened, all / 6, all / 3);
	for (size_t len = all; len > 200; len -= 128) {
		bytes.len = len;
		pdb_place_put(place->path, &bytes);
		try_file(place->path, &found);
	}
	strbuf_release(&bytes);
	pdb_writer_release(&writer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pdb_place_setup, pdb_place_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pdb_lines_find__example__chains_of_what_was_inlined),
		TEST(pdb_lines_find__no_marks_of_types__the_same),
		TEST(pdb_lines_find__tables__of_several_forms),
		TEST(pdb_lines_find__inlined_across_modules__named_by_the_other),
		TEST(pdb_lines_find__damaged_anywhere__does_not_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
