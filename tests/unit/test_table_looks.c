/* No two rows of a table in text look equal in what they are of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/short_name.h"
#include "report/table.h"
#include "util/array.h"
#include "util/strset.h"
#include "util/utf8.h"

#include "capture.h"

struct item {
	const char *module, *name, *stack;
};

static void get_module(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct item *)row)->module);
}

static void get_name(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct item *)row)->name);
}

static void get_short_name(const void *row, struct cell *cell)
{
	short_name(&cell->scratch, ((const struct item *)row)->name);
	cell_set_text(cell, cell->scratch.buf);
}

/* Names of frames, which cells borrow. */
static struct strset frames = STRSET_INIT;

static void add_stack(const void *row, struct cell *cell, bool brief)
{
	const char *at = ((const struct item *)row)->stack;

	while (at) {
		const char *end = strchr(at, '|');
		struct strbuf sb = STRBUF_INIT;
		uint32_t number;
		char *frame = xstrndup(at, end ? (size_t)(end - at) : strlen(at));

		if (brief)
			short_name(&sb, frame);
		else
			strbuf_adds(&sb, frame);
		number = strset_add(&frames, sb.len ? sb.buf : "");
		strvec_push_nodup(&cell->list, frames.strings.v[number]);
		strbuf_release(&sb);
		free(frame);
		at = end ? end + 1 : NULL;
	}
	cell_set_strings(cell, &cell->list);
}

static void get_stack(const void *row, struct cell *cell)
{
	add_stack(row, cell, false);
}

static void get_short_stack(const void *row, struct cell *cell)
{
	add_stack(row, cell, true);
}

static const struct column module_column = {
	"module", "MODULE", "", COLUMN_TEXT, SHOW_DATA, false, get_module, NULL,
};
static const struct column name_column = {
	"function", "FUNCTION", "", COLUMN_NAME, SHOW_DATA, true, get_name, get_short_name,
};
static const struct column stack_column = {
	"stack", "STACK", "", COLUMN_STACK, SHOW_DATA, true, get_stack, get_short_stack,
};
static const struct column *const keys[] = { &module_column, &name_column, &stack_column, NULL };

#define IDENTITY "module,function,stack"

#define LONG "a_long_path::with_parts::that_are_wide::and_wider::and_still_wider"

static const struct item items[] = {
	{ "lib", "Map<Key>::get", "main|a|Map<Key>::get" },
	{ "lib", "Map<Value>::get", "main|a|Map<Value>::get" },
	{ "lib", "Map<Value>::get", "main|a|Map<Value>::get" },
	{ "lib2", "Map<Value>::get", "start|a|Map<Value>::get" },
	{ "lib", "Map<Value>::get #2", "main|a|Map<Value>::get #2" },
	{ "lib", "Map<…Key>::get", "main|a|Map<…Key>::get" },
	{ "lib", "Map<…Key…>::get", "a|Map<Key>::get" },
	{ "lib", "Map<…>::get", "Map<Key>::get" },
	{ "lib", "f::{closure#0}", "f::{closure#0}|x" },
	{ "lib", "f::{closure#1}", "f::{closure#1}|x" },
	{ "lib", "f::{closure}", "f::{closure}|x" },
	{ "lib", "g::h0123456789abcdef", "g::h0123456789abcdef" },
	{ "lib", "g::hfedcba9876543210", "g::hfedcba9876543210" },
	{ "lib", LONG "::one::" LONG, LONG "|one|" LONG "|" LONG },
	{ "lib", LONG "::two::" LONG, LONG "|two|" LONG "|" LONG },
	{ "lib", LONG "::three::" LONG, LONG "|one|two|" LONG "|" LONG },
	{ LONG "::1", LONG, LONG },
	{ LONG "::2", LONG, LONG },
	{ "lib", "größe<ä>::ö", "größe<ä>::ö|größe<ä>::ö" },
	{ "lib", "größe<ü>::ö", "größe<ü>::ö|größe<ä>::ö" },
	{ "lib", "[u8; 4]", "[u8; 4]|a" },
	{ "lib", "\xff\xfe", "\xff\xfe" },
	{ "lib", "\xff\xfd", "\xff\xfd" },
	{ "lib", "a\nb", "a\nb" },
	{ "lib", "a\\nb", "a\\nb" },
	{ "lib", "", "" },
	{ "lib", "-", "-" },
	{ "lib", "<<<<", "<<<<" },
	{ "lib", ">>>>", ">>>>" },
	{ "lib", "operator<<<A>", "operator<<<A>" },
	{ "lib", "operator<<<B>", "operator<<<B>" },
};

/* Print the rows with these columns, and check that no two lines are equal; with no numbers the lines are all keys. */
static void check(const char *shown, size_t width, const struct item *rows, size_t rows_nr)
{
	const struct table table = { .keys = keys, .identity = IDENTITY, .text_columns = shown };
	const struct table_options options = { .width = width };
	const void *pointers[ARRAY_SIZE(items) * 4];
	struct strset lines = STRSET_INIT;
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text, *at;
	uint32_t nr = 0;

	for (size_t i = 0; i < rows_nr; i++)
		pointers[i] = &rows[i];
	assert_int_equal(table_print(&table, &options, pointers, rows_nr, out, &err), 0);
	text = capture_end(out);
	at = strchr(text, '\n') + 1;
	while (*at) {
		size_t len = strcspn(at, "\n");

		at[len] = '\0';
		if (strset_add(&lines, at) != nr)
			fail_msg("two rows look equal at width %zu: %s", width, at);
		nr++;
		at += len + 1;
	}
	assert_int_equal(nr, rows_nr);
	strset_release(&lines);
	free(text);
}

static void table_print__text__hostile_names_never_look_equal(void **state)
{
	static const size_t widths[] = { 0, 60, 100, 200, 30, 40, 500 };
	static const char *const shown[] = { "function", "module,function", "function,module",
					     "stack",    "stack,function",  "module" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(shown); k++)
			check(shown[k], widths[i], items, ARRAY_SIZE(items));
	}
}

static void table_print__text__rows_of_one_key_are_numbered(void **state)
{
	const struct item same[] = { { "lib", "f", "f" },
				     { "lib", "f", "f" },
				     { "lib", "f #2", "f" } };
	const struct table table = { .keys = keys,
				     .identity = IDENTITY,
				     .text_columns = "function" };
	const struct table_options options = { .width = 60 };
	const void *rows[] = { &same[0], &same[1], &same[2] };
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text;

	(void)state;
	assert_int_equal(table_print(&table, &options, rows, 3, out, &err), 0);
	text = capture_end(out);
	assert_string_equal(text, "FUNCTION\nf\nf #3\nf #2\n");
	free(text);
}

static void expect(const char *shown, const char *identity, size_t width,
		   const struct item *items_of, size_t nr, const char *expected)
{
	const struct table table = { .keys = keys, .identity = identity, .text_columns = shown };
	const struct table_options options = { .width = width };
	const void *rows[ARRAY_SIZE(items)];
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text;

	for (size_t i = 0; i < nr; i++)
		rows[i] = &items_of[i];
	assert_int_equal(table_print(&table, &options, rows, nr, out, &err), 0);
	text = capture_end(out);
	assert_string_equal(text, expected);
	free(text);
}

/* A number takes no room from the name while the line, or another column, has some. */
static void table_print__text__numbers_have_room(void **state)
{
	const struct item same[] = { { "rustc", LONG, "" },
				     { "rustc", LONG, "" },
				     { "lib", "f", "" } };

	(void)state;
	expect("module,stack", "module", 60, same, 3, "MODULE    STACK\nrustc\nrustc #2\nlib\n");
	expect("module,function", "module", 40, same, 3,
	       "MODULE    FUNCTION\n"
	       "rustc     a_long_path…r::and_still_wider\n"
	       "rustc #2  a_long_path…r::and_still_wider\n"
	       "lib       f\n");
	expect("module", "module", 4, same, 3, "MODULE\nrustc\nru… #2\nlib\n");
}

/* More rows than a number of the column's width can count. */
static void table_print__text__long_numbers_fit_a_narrow_column(void **state)
{
	static const struct item same = { "f", LONG, "" };
	const struct table table = { .keys = keys,
				     .identity = "module",
				     .text_columns = "module,function" };
	const struct table_options options = { .width = 12 };
	const void *rows[1200];
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i] = &same;
	assert_int_equal(table_print(&table, &options, rows, ARRAY_SIZE(rows), out, &err), 0);
	text = capture_end(out);
	assert_non_null(strstr(text, "\nf #1200\n"));
	free(text);
}

/* Only what says what a row is of: bars and other values may be equal, and an unknown value is no name. */
static void table_print__text__only_names_are_numbered(void **state)
{
	const struct item same[] = {
		{ "lib", "f", "" }, { "lib", "f", "" }, { NULL, "f", "" }, { NULL, "f", "" }
	};

	(void)state;
	expect("module,function", NULL, 60, same, 4,
	       "MODULE  FUNCTION\nlib     f\nlib     f\n-       f\n-       f\n");
	expect("module,function", "stack", 60, same, 4,
	       "MODULE  FUNCTION\nlib     f\nlib     f\n-       f\n-       f\n");
	expect("module", "module", 60, same, 4, "MODULE\nlib\nlib #2\n-\n-\n");
	expect("module,function", "module,function", 60, same, 4,
	       "MODULE  FUNCTION\nlib     f\nlib #2  f\n-       f\n-       f #2\n");
}

/* Each ';' of a stack separates two frames. */
static void table_print__text__frames_stay_whole(void **state)
{
	const struct item arrays[] = {
		{ "", "", "main|Map<[u8; 16]>::get|leaf" },
		{ "", "", "main|Map<[u8; 24]>::get|leaf" },
		{ "", "", "[u8; 4]::x" },
	};

	(void)state;
	expect("stack", "stack", 60, arrays, 3,
	       "STACK\nmain;Map<[u8: 16]>::get;leaf\nmain;Map<[u8: 24]>::get;leaf\n"
	       "[u8: 4]::x\n");
}

/* What differs is shown where there is room for it, and nothing else is. */
static void table_print__text__shows_what_tells_rows_apart(void **state)
{
	const struct item maps[] = {
		{ "lib", "<map::HashMap<span::DefId, u32>>::insert", "" },
		{ "lib", "<map::HashMap<span::LocalDefId, u32>>::insert", "" },
		{ "lib", "<map::HashMap<span::DefId, u8>>::remove", "" },
	};
	const struct table table = { .keys = keys,
				     .identity = IDENTITY,
				     .text_columns = "function" };
	const struct table_options options = { .width = 60 };
	const void *rows[] = { &maps[0], &maps[1], &maps[2] };
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text;

	(void)state;
	assert_int_equal(table_print(&table, &options, rows, 3, out, &err), 0);
	text = capture_end(out);
	assert_string_equal(text,
			    "FUNCTION\n<map::HashMap<…DefId…>>::insert\n"
			    "<map::HashMap<…LocalDefId…>>::insert\n<map::HashMap<…>>::remove\n");
	free(text);
}

/* In a tree: the module is the number of the row above. */
static uint32_t get_parent(const void *row)
{
	return (uint32_t)strtoul(((const struct item *)row)->module, NULL, 10);
}

static void get_tree_text(const void *row, struct cell *cell)
{
	const struct item *item = row;

	strbuf_addf(&cell->scratch, "%s%s", item->stack, item->name);
	cell_set_text(cell, cell->scratch.buf);
}

/* Rows below one other row; those below another one may be the same. What tells them apart keeps its indentation. */
static void table_print__text__siblings_of_a_tree_never_look_equal(void **state)
{
	static const struct column column = {
		"function", "FUNCTION", "", COLUMN_NAME, SHOW_DATA, true, get_name, get_tree_text,
	};
	const struct item rows[] = {
		{ "0", "main", "" },     { "1", LONG "::one::" LONG, "  " },
		{ "2", "leaf", "    " }, { "1", LONG "::two::" LONG, "  " },
		{ "4", "leaf", "    " }, { "4", "leaf", "    " },
		{ "4", "leaf", "    " }, { "0", LONG "::one::" LONG, "  " },
	};
	const struct table table = { .columns = &column,
				     .columns_nr = 1,
				     .identity = "function",
				     .text_columns = "function",
				     .parent = get_parent };
	const struct table_options options = { .width = 40 };
	const void *pointers[ARRAY_SIZE(rows)];
	struct err err = ERR_INIT;
	FILE *out = capture_start();
	char *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		pointers[i] = &rows[i];
	assert_int_equal(table_print(&table, &options, pointers, ARRAY_SIZE(rows), out, &err), 0);
	text = capture_end(out);
	assert_string_equal(text, "FUNCTION\n"
				  "main\n"
				  "  a_l…r::one::a_long_path::w…still_wider\n"
				  "    leaf\n"
				  "  a_l…r::two::a_long_path::w…still_wider\n"
				  "    leaf\n"
				  "    leaf #2\n"
				  "    leaf #3\n"
				  "  a_long_path::w…_wider::and_still_wider\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_print__text__hostile_names_never_look_equal),
		cmocka_unit_test(table_print__text__rows_of_one_key_are_numbered),
		cmocka_unit_test(table_print__text__numbers_have_room),
		cmocka_unit_test(table_print__text__long_numbers_fit_a_narrow_column),
		cmocka_unit_test(table_print__text__only_names_are_numbered),
		cmocka_unit_test(table_print__text__frames_stay_whole),
		cmocka_unit_test(table_print__text__shows_what_tells_rows_apart),
		cmocka_unit_test(table_print__text__siblings_of_a_tree_never_look_equal),
	};

	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	strset_release(&frames);
	return rc;
}
