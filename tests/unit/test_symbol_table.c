#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/symbol_table.h"
#include "util/array.h"
#include "util/strbuf.h"

struct row {
	uint64_t start, end;
	const char *name;
	enum symbol_binding binding;
	uint8_t area;
};

static void fill(struct symbol_table *table, const struct row *rows, size_t nr)
{
	symbol_table_init(table);
	for (size_t i = 0; i < nr; i++)
		symbol_table_add(table, (struct symbol_entry){ .start = rows[i].start,
							       .end = rows[i].end,
							       .name = rows[i].name,
							       .binding = (uint8_t)rows[i].binding,
							       .area = rows[i].area });
	symbol_table_ready(table);
}

/* "start-end name also..." or "-" */
static void expect(const struct symbol_table *table, uint64_t address, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	struct symbol symbol;

	if (symbol_table_find(table, address, &symbol)) {
		strbuf_addf(&sb, "%x-%x %s", (unsigned)symbol.start, (unsigned)symbol.end,
			    symbol.name);
		for (size_t i = 0; i < symbol.also_nr; i++)
			strbuf_addf(&sb, " %s", symbol.also[i]);
	} else {
		strbuf_addc(&sb, '-');
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void symbol_table_find__sorted_or_not__the_one_that_covers(void **state)
{
	static const struct row rows[] = {
		{ 0x30, 0x40, "c", SYMBOL_GLOBAL, 0 },
		{ 0x10, 0x20, "a", SYMBOL_LOCAL, 0 },
		{ 0x20, 0x28, "b", SYMBOL_WEAK, 0 },
	};
	struct symbol_table table;

	(void)state;
	fill(&table, rows, ARRAY_SIZE(rows));
	expect(&table, 0x0f, "-");
	expect(&table, 0x10, "10-20 a");
	expect(&table, 0x1f, "10-20 a");
	expect(&table, 0x20, "20-28 b");
	expect(&table, 0x28, "-");
	expect(&table, 0x3f, "30-40 c");
	expect(&table, 0x40, "-");
	expect(&table, UINT64_MAX, "-");
	symbol_table_release(&table);
}

static void symbol_table_find__no_size__ends_at_the_next(void **state)
{
	static const struct row rows[] = {
		{ 0x10, 0, "a", SYMBOL_LOCAL, 0 },
		{ 0x20, 0x20, "b", SYMBOL_LOCAL, 0 },
		{ 0x4000, 0, "other area", SYMBOL_LOCAL, 1 },
		{ 0x5010, 0, "last", SYMBOL_LOCAL, 1 },
	};
	struct symbol_table table;

	(void)state;
	fill(&table, rows, ARRAY_SIZE(rows));
	expect(&table, 0x1f, "10-20 a");
	expect(&table, 0x3f, "20-1000 b");
	expect(&table, 0x1000, "-");
	expect(&table, 0x500f, "4000-5010 other area");
	expect(&table, 0x5fff, "5010-6000 last");
	expect(&table, 0x6000, "-");
	symbol_table_release(&table);
}

static void symbol_table_find__no_size__ends_at_its_limit(void **state)
{
	static const struct symbol_entry entries[] = {
		{ .start = 0x10, .end = 0x10, .name = "a", .limit = 0x18 },
		{ .start = 0x20, .end = 0x20, .name = "limit behind the next", .limit = 0x38 },
		{ .start = 0x30, .end = 0x40, .name = "own size", .limit = 0x38 },
		{ .start = 0x50, .end = 0x50, .name = "last", .limit = 0x58 },
	};
	struct symbol_table table;

	(void)state;
	symbol_table_init(&table);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		symbol_table_add(&table, entries[i]);
	symbol_table_ready(&table);
	expect(&table, 0x17, "10-18 a");
	expect(&table, 0x18, "-");
	expect(&table, 0x2f, "20-30 limit behind the next");
	expect(&table, 0x3f, "30-40 own size");
	expect(&table, 0x57, "50-58 last");
	expect(&table, 0x58, "-");
	symbol_table_release(&table);
}

static void symbol_table_find__one_address__best_name_and_the_others(void **state)
{
	static const struct {
		struct row rows[3];
		size_t nr;
		const char *expected;
	} cases[] = {
		{ { { 1, 2, "weak", SYMBOL_WEAK, 0 }, { 1, 2, "l", SYMBOL_LOCAL, 0 } },
		  2,
		  "1-2 l weak" },
		{ { { 1, 2, "local", SYMBOL_LOCAL, 0 }, { 1, 2, "g", SYMBOL_GLOBAL, 0 } },
		  2,
		  "1-2 g local" },
		{ { { 1, 2, "__libc_malloc", SYMBOL_GLOBAL, 0 },
		    { 1, 2, "malloc", SYMBOL_GLOBAL, 0 } },
		  2,
		  "1-2 malloc __libc_malloc" },
		{ { { 1, 2, "ab", SYMBOL_GLOBAL, 0 },
		    { 1, 2, "abc", SYMBOL_GLOBAL, 0 },
		    { 1, 2, "a", SYMBOL_GLOBAL, 0 } },
		  3,
		  "1-2 abc ab a" },
		{ { { 1, 0, "without", SYMBOL_GLOBAL, 0 }, { 1, 4, "w", SYMBOL_WEAK, 0 } },
		  2,
		  "1-4 w without" },
		{ { { 1, 2, "same", SYMBOL_LOCAL, 0 },
		    { 1, 2, "same", SYMBOL_GLOBAL, 0 },
		    { 1, 2, "same", SYMBOL_WEAK, 0 } },
		  3,
		  "1-2 same" },
		{ { { 1, 2, "one", SYMBOL_LOCAL, 0 }, { 1, 2, "two", SYMBOL_LOCAL, 0 } },
		  2,
		  "1-2 one two" },
		{ { { 1, 2, "SyS_abc", SYMBOL_LOCAL, 0 }, { 1, 2, "sys_abc", SYMBOL_LOCAL, 0 } },
		  2,
		  "1-2 sys_abc SyS_abc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_table table;

		fill(&table, cases[i].rows, cases[i].nr);
		assert_int_equal(table.nr, 1);
		expect(&table, 1, cases[i].expected);
		symbol_table_release(&table);
	}
}

static void symbol_table_find__nested__innermost(void **state)
{
	static const struct row rows[] = {
		{ 0x10, 0x100, "outer", SYMBOL_LOCAL, 0 },
		{ 0x20, 0x30, "first", SYMBOL_LOCAL, 0 },
		{ 0x22, 0x24, "deep", SYMBOL_LOCAL, 0 },
		{ 0x40, 0x50, "second", SYMBOL_LOCAL, 0 },
		{ 0x48, 0x120, "over", SYMBOL_LOCAL, 0 },
		{ 0x60, 0x61, "last", SYMBOL_LOCAL, 0 },
	};
	struct symbol_table table;

	(void)state;
	fill(&table, rows, ARRAY_SIZE(rows));
	expect(&table, 0x1f, "10-100 outer");
	expect(&table, 0x23, "22-24 deep");
	expect(&table, 0x24, "20-30 first");
	expect(&table, 0x30, "10-100 outer");
	expect(&table, 0x4f, "48-120 over");
	expect(&table, 0x61, "48-120 over");
	expect(&table, 0x110, "48-120 over");
	expect(&table, 0x120, "-");
	symbol_table_release(&table);
}

static void symbol_table_find__empty_or_at_the_very_end__holds(void **state)
{
	static const struct row rows[] = { { UINT64_MAX - 1, 0, "top", SYMBOL_LOCAL, 0 } };
	struct symbol_table table;
	struct symbol symbol;

	(void)state;
	fill(&table, NULL, 0);
	assert_false(symbol_table_find(&table, 0, &symbol));
	symbol_table_release(&table);
	fill(&table, rows, ARRAY_SIZE(rows));
	assert_true(symbol_table_find(&table, UINT64_MAX - 1, &symbol));
	assert_string_equal(symbol.name, "top");
	symbol_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_table_find__sorted_or_not__the_one_that_covers),
		cmocka_unit_test(symbol_table_find__no_size__ends_at_the_next),
		cmocka_unit_test(symbol_table_find__no_size__ends_at_its_limit),
		cmocka_unit_test(symbol_table_find__one_address__best_name_and_the_others),
		cmocka_unit_test(symbol_table_find__nested__innermost),
		cmocka_unit_test(symbol_table_find__empty_or_at_the_very_end__holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
