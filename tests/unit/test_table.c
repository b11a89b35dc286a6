#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/head.h"
#include "report/table.h"
#include "util/array.h"

#include "capture.h"

struct fruit {
	const char *name;
	int64_t count; /* -1: not known */
	double share;
	struct strvec seeds;
	const char *note;
};

static void get_name(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct fruit *)row)->name);
}

static void get_count(const void *row, struct cell *cell)
{
	if (((const struct fruit *)row)->count >= 0)
		cell_set_number(cell, ((const struct fruit *)row)->count);
}

static void get_share(const void *row, struct cell *cell)
{
	cell_set_percent(cell, ((const struct fruit *)row)->share);
}

static void get_seeds(const void *row, struct cell *cell)
{
	cell_set_strings(cell, &((const struct fruit *)row)->seeds);
}

static void get_note(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct fruit *)row)->note);
}

static void get_short_note(const void *row, struct cell *cell)
{
	(void)row;
	strbuf_adds(&cell->scratch, "short");
	cell_set_text(cell, cell->scratch.buf);
}

static const struct column columns[] = {
	{ "name", "NAME", "", COLUMN_TEXT, SHOW_DATA, false, get_name, NULL },
	{ "count", "COUNT", "", COLUMN_INT, SHOW_DATA, false, get_count, NULL },
	{ "size_bytes", "SIZE", "", COLUMN_BYTES, 0, false, get_count, NULL },
	{ "time_ns", "TIME", "", COLUMN_DURATION, 0, false, get_count, NULL },
	{ "share", "SHARE", "", COLUMN_PERCENT, SHOW_JSON, false, get_share, NULL },
	{ "seeds", "SEEDS", "", COLUMN_STRINGS, SHOW_JSON, true, get_seeds, NULL },
	{ "note", "NOTE", "", COLUMN_TEXT, 0, true, get_note, NULL },
	{ "brief", "BRIEF", "", COLUMN_TEXT, 0, true, get_note, get_short_note },
};

static const struct table table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "name,count",
};

static void get_path(const void *row, struct cell *cell)
{
	strvec_push(&cell->list, "root");
	strvec_push(&cell->list, ((const struct fruit *)row)->name);
	strvec_push(&cell->list, "leaf");
	cell_set_strings(cell, &cell->list);
}

static void get_seeds_nr(const void *row, struct cell *cell)
{
	strbuf_addf(&cell->scratch, "%zu", ((const struct fruit *)row)->seeds.nr);
	cell_set_text(cell, cell->scratch.buf);
}

/* The count, else why there is none. */
static void get_mixed(const void *row, struct cell *cell)
{
	get_count(row, cell);
	if (!cell->known)
		cell_set_text(cell, "no, none");
}

static const struct column path_column = {
	"path", "PATH", "", COLUMN_STACK, SHOW_DATA, true, get_path, NULL,
};
static const struct column note_column = {
	"note", "NOTE", "", COLUMN_TEXT, SHOW_IF_KNOWN, true, get_note, NULL,
};
static const struct column *const key_columns[] = { &path_column, &note_column, NULL };

static const struct column value_columns[] = {
	{ "count", "COUNT", "", COLUMN_INT, SHOW_DATA, false, get_count, NULL },
	{ "mixed", "MIXED", "", COLUMN_MIXED, SHOW_DATA, false, get_mixed, NULL },
	{ "seeds", "SEEDS", "", COLUMN_STRINGS, 0, false, get_seeds, get_seeds_nr },
};

static const struct table keyed_table = {
	.columns = value_columns,
	.columns_nr = ARRAY_SIZE(value_columns),
	.text_columns = "path,note,count,seeds",
	.sort = "count",
	.keys = key_columns,
};

static char seed_a[] = "a", seed_b[] = "b;c";
static char *seeds[] = { seed_a, seed_b, NULL };

#define SEEDS \
	{ \
		seeds, 2, 0 \
	}

static const struct fruit apple = { "apple", 3, 12.5, SEEDS, "x" };
static const struct fruit pear = { "pear", -1, 50, SEEDS, NULL };
static const struct fruit fig = { "fig", 20, 37.5, SEEDS, "a, \"b\"\nc" };
static const struct fruit kiwi = { "kiwi\xff", 3, 0, SEEDS, "" };

static void expect_of(const struct table *of, struct table_options options, const void *const *rows,
		      size_t nr, const char *expected)
{
	FILE *file = capture_start();
	const void *copy[8] = { NULL };
	struct err err = ERR_INIT;
	char *text;

	for (size_t i = 0; i < nr; i++)
		copy[i] = rows[i];
	assert_int_equal(table_print(of, &options, copy, nr, file, &err), 0);
	text = capture_end(file);
	assert_string_equal(text, expected);
	free(text);
}

static void expect(struct table_options options, const void *const *rows, size_t nr,
		   const char *expected)
{
	expect_of(&table, options, rows, nr, expected);
}

static const void *const all[] = { &apple, &pear, &fig, &kiwi };

static void table_print__text__aligns_and_shows_unknown_as_dash(void **state)
{
	(void)state;
	expect((struct table_options){ 0 }, all, 4,
	       "NAME   COUNT\n"
	       "apple      3\n"
	       "pear       -\n"
	       "fig       20\n"
	       "kiwi\xef\xbf\xbd      3\n");
}

static void table_print__text__human_units(void **state)
{
	static const struct fruit big = { "big", 1610612736, 12.34, SEEDS, NULL };
	const void *rows[] = { &big };

	(void)state;
	expect((struct table_options){ .columns = "size_bytes,time_ns,share,seeds" }, rows, 1,
	       "   SIZE    TIME  SHARE  SEEDS\n"
	       "1.50 GB  1.61 s  12.3%  a;b;c\n");
}

static void table_print__text__control_characters_stay_on_the_line(void **state)
{
	static const struct fruit odd = { "\x1b[31m", 1, 0, SEEDS, "a\nb\tc" };
	const void *rows[] = { &odd };

	(void)state;
	expect((struct table_options){ .columns = "name,note" }, rows, 1,
	       "NAME      NOTE\n"
	       "\\x1b[31m  a\\nb\\tc\n");
}

/* To 40, then the others to 24; to 36 and 16; then all to 10. */
static void table_print__text__flexible_columns_are_cut_first(void **state)
{
	static const struct fruit wide = { "a name of twenty-six chars", 1, 0, SEEDS,
					   "größer ärger über öde Übungen hier im Bau" };
	const void *rows[] = { &wide };

	(void)state;
	expect((struct table_options){ .columns = "name,note", .width = 66 }, rows, 1,
	       "NAME                      NOTE\n"
	       "a name of twenty-six ch…  größer ärger über öde Übungen hier im B…\n");
	expect((struct table_options){ .columns = "name,note", .width = 60 }, rows, 1,
	       "NAME                    NOTE\n"
	       "a name of twenty-six …  größer ärger über öde Übungen hier …\n");
	expect((struct table_options){ .columns = "name,note", .width = 45 }, rows, 1,
	       "NAME              NOTE\n"
	       "a name of twent…  größer ärger über öde Übun…\n");
	expect((struct table_options){ .columns = "name,note", .width = 25 }, rows, 1,
	       "NAME           NOTE\n"
	       "a name of tw…  größer är…\n");
	expect((struct table_options){ .columns = "name,note", .width = 5 }, rows, 1,
	       "NAME    NOTE\n"
	       "a nam…  größe…\n");
	expect((struct table_options){ .columns = "name,note", .width = 0 }, rows, 1,
	       "NAME                        NOTE\n"
	       "a name of twenty-six chars  größer ärger über öde Übungen hier im Bau\n");
}

/* How much wider than the line a text is does not matter, nor which row has the widest. */
static void table_print__text__is_cut_whatever_is_too_wide(void **state)
{
	static const struct fruit rows_of[] = {
		{ "cherry", 1, 0, SEEDS, "wider than a line of twenty" },
		{ "a mirabelle", 1, 0, SEEDS, "x" },
		{ "a raspberry, or a blackberry", 1, 0, SEEDS,
		  "wider still than the line of twenty" },
	};
	const void *rows[] = { &rows_of[0], &rows_of[1], &rows_of[2] };

	(void)state;
	expect((struct table_options){ .columns = "note,name", .width = 26 }, rows, 3,
	       "NOTE        NAME\n"
	       "wider tha…  cherry\n"
	       "x           a mirabelle\n"
	       "wider sti…  a raspberry, …\n");
	expect((struct table_options){ .columns = "name", .width = 5 }, rows, 3,
	       "NAME\ncherry\na mir…\na ras…\n");
	expect((struct table_options){ .columns = "name", .width = 11 }, rows, 3,
	       "NAME\ncherry\na mirabelle\na raspberr…\n");
}

static void table_print__wide_columns__are_for_lines_of_any_width(void **state)
{
	struct table both = table;
	const void *rows[] = { &apple };

	(void)state;
	both.text_columns = "count";
	both.wide_columns = "name,count";
	expect_of(&both, (struct table_options){ .width = 100 }, rows, 1, "COUNT\n    3\n");
	expect_of(&both, (struct table_options){ .width = 0 }, rows, 1,
		  "NAME   COUNT\napple      3\n");
	expect_of(&both, (struct table_options){ .columns = "name" }, rows, 1, "NAME\napple\n");
}

static void table_print__get_text__is_for_text_alone(void **state)
{
	const void *rows[] = { &apple };

	(void)state;
	expect((struct table_options){ .columns = "brief" }, rows, 1, "BRIEF\nshort\n");
	expect((struct table_options){ .format = TABLE_CSV, .columns = "brief" }, rows, 1,
	       "brief\r\nx\r\n");
}

static void table_print__json__plain_values(void **state)
{
	const void *rows[] = { &apple, &pear };

	(void)state;
	expect((struct table_options){ .format = TABLE_JSON }, rows, 2,
	       "[\n"
	       "{\"name\":\"apple\",\"count\":3,\"share\":12.5,\"seeds\":[\"a\",\"b;c\"]},\n"
	       "{\"name\":\"pear\",\"count\":null,\"share\":50.0,\"seeds\":[\"a\",\"b;c\"]}\n"
	       "]\n");
	expect((struct table_options){ .format = TABLE_JSONL }, rows, 2,
	       "{\"name\":\"apple\",\"count\":3,\"share\":12.5,\"seeds\":[\"a\",\"b;c\"]}\n"
	       "{\"name\":\"pear\",\"count\":null,\"share\":50.0,\"seeds\":[\"a\",\"b;c\"]}\n");
}

static void table_print__json__bad_utf8_keeps_its_bytes(void **state)
{
	const void *rows[] = { &kiwi };

	(void)state;
	expect((struct table_options){ .format = TABLE_JSON, .columns = "name" }, rows, 1,
	       "[\n{\"name\":\"kiwi\xef\xbf\xbd\",\"name_hex\":\"6b697769ff\"}\n]\n");
}

static void table_print__csv__quotes_by_rfc_4180(void **state)
{
	(void)state;
	expect((struct table_options){ .format = TABLE_CSV, .columns = "name,count,note,seeds" },
	       all, 4,
	       "name,count,note,seeds\r\n"
	       "apple,3,x,a;b;c\r\n"
	       "pear,,,a;b;c\r\n"
	       "fig,20,\"a, \"\"b\"\"\nc\",a;b;c\r\n"
	       "kiwi\xff,3,,a;b;c\r\n");
}

/* Each ';' of a stack separates two frames, so that a script can split it. A list is as it is. */
static void table_print__csv_of_a_stack__has_no_separator_in_names(void **state)
{
	const struct fruit array = { "<[u8; 4]>::f", 1, 0, SEEDS, NULL };
	const void *const rows[] = { &array };

	(void)state;
	expect_of(&keyed_table,
		  (struct table_options){ .format = TABLE_CSV, .columns = "path,seeds" }, rows, 1,
		  "path,seeds\r\n"
		  "root;<[u8: 4]>::f;leaf,a;b;c\r\n");
	expect_of(&keyed_table, (struct table_options){ .format = TABLE_JSON, .columns = "path" },
		  rows, 1, "[\n{\"path\":[\"root\",\"<[u8; 4]>::f\",\"leaf\"]}\n]\n");
}

static void table_print__no_rows__header_or_empty_array(void **state)
{
	(void)state;
	expect((struct table_options){ 0 }, NULL, 0, "NAME  COUNT\n");
	expect((struct table_options){ .format = TABLE_CSV }, NULL, 0, "name,count\r\n");
	expect((struct table_options){ .format = TABLE_JSON }, NULL, 0, "[]\n");
	expect((struct table_options){ .format = TABLE_JSONL }, NULL, 0, "");
}

/* The same facts in all formats. What is not UTF-8 or has several lines can end neither a comment nor a string. */
static void table_print__head__lines_object_or_comments(void **state)
{
	struct head head = HEAD_INIT;
	struct strvec texts = STRVEC_INIT;

	(void)state;
	head_label(&head, "size");
	head_number(&head, "size_bytes", COLUMN_BYTES, 1536);
	head_words(&head, " of ");
	head_text(&head, "name", "a\n\xff");
	head_wordsf(&head, ", %d", 7);
	head_words(&head, "\n");
	head_keep_flag(&head, "whole", true);
	head_keep_text(&head, "unknown", NULL);
	head_keep_texts(&head, "none", &texts);
	strvec_push(&texts, "one\n");
	strvec_push(&texts, "two");
	head_keep_texts(&head, "list", &texts);
	strvec_release(&texts);
	expect((struct table_options){ .head = &head, .columns = "name" }, all, 1,
	       "size     1.50 KB of a\\n\xef\xbf\xbd, 7\n\nNAME\napple\n");
	expect((struct table_options){ .format = TABLE_CSV, .head = &head, .columns = "name" }, all,
	       1,
	       "# size_bytes: 1536\r\n# name: a\\n\xef\xbf\xbd\r\n# whole: "
	       "true\r\n# list: one\\n\r\n# list: two\r\nname\r\napple\r\n");
	expect((struct table_options){ .format = TABLE_JSON, .head = &head, .columns = "name" },
	       all, 1,
	       "{\"head\": "
	       "{\"size_bytes\":1536,\"name\":\"a\\n\xef\xbf\xbd\",\"name_hex\":\"610aff\","
	       "\"whole\":true,\"none\":[],\"list\":[\"one\\n\",\"two\"]},\n\"rows\": "
	       "[\n{\"name\":\"apple\"}\n]}\n");
	expect((struct table_options){ .format = TABLE_JSONL, .head = &head, .columns = "name" },
	       all, 1,
	       "{\"head\": "
	       "{\"size_bytes\":1536,\"name\":\"a\\n\xef\xbf\xbd\",\"name_hex\":\"610aff\","
	       "\"whole\":true,\"none\":[],\"list\":[\"one\\n\",\"two\"]}}\n{\"name\":\"apple\"}"
	       "\n");
	expect((struct table_options){ .format = TABLE_JSON, .head = &(struct head)HEAD_INIT },
	       NULL, 0, "{\"head\": {},\n\"rows\": []}\n");
	head_release(&head);
}

static void table_print__sort__direction_unknown_and_stable(void **state)
{
	static const struct {
		const char *sort;
		const char *names;
	} cases[] = {
		{ "count", "f a k p" },     { "count:desc", "f a k p" }, { "count:asc", "a k f p" },
		{ "name", "a f k p" },      { "name:desc", "p k f a" },  { "share", "p f a k" },
		{ "share:asc", "k a f p" }, { "seeds", "a p f k" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const void *rows[] = { &apple, &pear, &fig, &kiwi };
		struct strbuf names = STRBUF_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(table_sort(&table, cases[i].sort, rows, 4, &err), 0);
		for (size_t j = 0; j < 4; j++)
			strbuf_addf(&names, "%s%.1s", j ? " " : "",
				    ((const struct fruit *)rows[j])->name);
		assert_string_equal(names.buf, cases[i].names);
		strbuf_release(&names);
	}
}

static void table_print__top__first_rows_after_the_sort(void **state)
{
	(void)state;
	expect((struct table_options){ .sort = "count", .top = 2 }, all, 4,
	       "NAME   COUNT\n"
	       "fig       20\n"
	       "apple      3\n"
	       "and 2 more\n");
	expect((struct table_options){ .sort = "Count", .top = 1 }, all, 4,
	       "NAME  COUNT\n"
	       "fig      20\n"
	       "and 3 more\n");
}

/* A heading may be that of several columns. */
static void table_find__headings__first_the_one_that_is_shown(void **state)
{
	static const struct column two[] = {
		{ "all", "TOTAL", "", COLUMN_INT, 0, false, get_count, NULL },
		{ "shown", "TOTAL", "", COLUMN_INT, 0, false, get_count, NULL },
	};
	struct table of_two = { .columns = two, .columns_nr = 2, .text_columns = "x,shown" };

	(void)state;
	assert_string_equal(table_find(&of_two, "total")->key, "shown");
	assert_string_equal(table_find(&of_two, "all")->key, "all");
	of_two.text_columns = "x";
	assert_string_equal(table_find(&of_two, "Total")->key, "all");
	assert_null(table_find(&of_two, "tot"));
}

static void table_print__keys__stand_first_and_sort_by_default(void **state)
{
	(void)state;
	expect_of(&keyed_table, (struct table_options){ .format = TABLE_CSV }, all, 3,
		  "path,count,mixed\r\n"
		  "root;fig;leaf,20,20\r\n"
		  "root;apple;leaf,3,3\r\n"
		  "root;pear;leaf,,\"no, none\"\r\n");
	expect_of(&keyed_table,
		  (struct table_options){ .format = TABLE_JSON, .sort = "mixed:asc", .top = 2 },
		  all, 3,
		  "[\n"
		  "{\"path\":[\"root\",\"fig\",\"leaf\"],\"count\":20,\"mixed\":20},\n"
		  "{\"path\":[\"root\",\"apple\",\"leaf\"],\"count\":3,\"mixed\":3}\n"
		  "]\n");
	expect_of(&keyed_table, (struct table_options){ .columns = "mixed,path" }, all, 2,
		  "MIXED     PATH\n"
		  "3         root;apple;leaf\n"
		  "no, none  root;pear;leaf\n");
}

static void table_print__text__drops_a_column_that_no_row_knows(void **state)
{
	(void)state;
	expect_of(&keyed_table, (struct table_options){ 0 }, all + 1, 1,
		  "PATH            COUNT  SEEDS\n"
		  "root;pear;leaf      -  2\n");
	expect_of(&keyed_table, (struct table_options){ 0 }, all, 2,
		  "PATH             NOTE  COUNT  SEEDS\n"
		  "root;apple;leaf  x         3  2\n"
		  "root;pear;leaf   -         -  2\n");
	expect_of(&keyed_table, (struct table_options){ .columns = "note" }, all + 1, 1,
		  "NOTE\n-\n");
}

static void table_print__text__stacks_keep_their_leaf(void **state)
{
	(void)state;
	expect_of(&keyed_table, (struct table_options){ .columns = "path,count", .width = 18 }, all,
		  1,
		  "PATH         COUNT\n"
		  "…;leaf           3\n");
}

static void table_check__mistakes__say_what_is_wrong(void **state)
{
	static const struct {
		struct table_options options;
		const char *msg;
	} cases[] = {
		{ { .columns = "name,cuont" }, "unknown column 'cuont' (did you mean 'count'?)" },
		{ { .columns = "" },
		  "unknown column ''; this view has name, count, size_bytes, time_ns, share, "
		  "seeds, note, brief" },
		{ { .columns = "name," },
		  "unknown column ''; this view has name, count, size_bytes, time_ns, share, "
		  "seeds, note, brief" },
		{ { .sort = "nmae" }, "unknown column 'nmae' (did you mean 'name'?)" },
		{ { .sort = "name:up" }, "'up' is not a direction to sort in: asc or desc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(table_check(&table, &cases[i].options, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].msg);
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_print__text__aligns_and_shows_unknown_as_dash),
		cmocka_unit_test(table_print__text__human_units),
		cmocka_unit_test(table_print__text__control_characters_stay_on_the_line),
		cmocka_unit_test(table_print__text__flexible_columns_are_cut_first),
		cmocka_unit_test(table_print__text__is_cut_whatever_is_too_wide),
		cmocka_unit_test(table_print__wide_columns__are_for_lines_of_any_width),
		cmocka_unit_test(table_print__get_text__is_for_text_alone),
		cmocka_unit_test(table_print__json__plain_values),
		cmocka_unit_test(table_print__json__bad_utf8_keeps_its_bytes),
		cmocka_unit_test(table_print__csv__quotes_by_rfc_4180),
		cmocka_unit_test(table_print__csv_of_a_stack__has_no_separator_in_names),
		cmocka_unit_test(table_print__no_rows__header_or_empty_array),
		cmocka_unit_test(table_print__sort__direction_unknown_and_stable),
		cmocka_unit_test(table_print__head__lines_object_or_comments),
		cmocka_unit_test(table_print__top__first_rows_after_the_sort),
		cmocka_unit_test(table_find__headings__first_the_one_that_is_shown),
		cmocka_unit_test(table_print__keys__stand_first_and_sort_by_default),
		cmocka_unit_test(table_print__text__drops_a_column_that_no_row_knows),
		cmocka_unit_test(table_print__text__stacks_keep_their_leaf),
		cmocka_unit_test(table_check__mistakes__say_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
