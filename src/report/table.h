/*
 * Tables of results. One list of columns defines text, CSV and JSON, and what --sort and --columns accept.
 *
 * - text: for people: aligned, human-readable units, control characters as escapes, lines shortened to the width. No two
 *   rows look equal in all of what they are of (`identity`): they show what tells them apart (distinct.h), or a number.
 * - json: an array of flat objects, one for each row; with a head an object of both. Numbers are plain, unknown values
 *   null. A text that is not UTF-8 has its exact bytes in a second member, "<key>_hex" (util/json.h).
 * - jsonl: the same objects, each on a line, without the array; a head is a line before them, {"head": ...}.
 * - csv: RFC 4180: a header of keys, lines end with CR LF; numbers are plain, unknown values empty, texts exact; on a
 *   terminal their control characters are escapes. A head is comments before the header, "# key: value".
 *
 * Rows are written one by one: the memory needed does not grow with the output.
 *
 * To add a column (report/column.h): write a getter, add a row to the columns of the view, and describe it in docs/.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/column.h"
#include "util/err.h"

struct table {
	const struct column *columns;
	size_t columns_nr;
	const char *text_columns; /* what text shows without --columns, in its syntax */
	const char *wide_columns; /* the same for lines of any width; NULL: text_columns */
	const char *sort;         /* how rows are sorted without --sort; NULL: as given */

	/* Columns before the others, shared by several tables. Ends with NULL; may be NULL. */
	const struct column *const *keys;

	/*
	 * The columns that say what a row is of, as --columns lists them. Rows that look equal in all of these that are
	 * shown are told apart in text. NULL: no columns, as rows may be equal.
	 */
	const char *identity;

	/*
	 * Rows of a tree: the number of the row that a row is below. Only rows below the same one are told apart, by what
	 * text shows of them. NULL: all rows are.
	 */
	uint32_t (*parent)(const void *row);
};

/* Column `i`, from 0; NULL after the last one. */
const struct column *table_column(const struct table *table, size_t i);

/* The column of this key, or of this heading in any case; NULL: there is none. */
const struct column *table_find(const struct table *table, const char *key);

struct head;

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV, TABLE_JSONL };

/* Names of the formats, in the enum's order; NULL after the last one. */
const char *table_format_name(size_t i);

/* The endings of names of their files: ".json". */
const char *table_format_ending(size_t i);

#define TABLE_WIDTH 100 /* of a line of text */

struct table_options {
	enum table_format format;
	const char *columns; /* keys, separated by commas; NULL: those of the format */
	const char *sort;    /* see table_sort(); NULL: as the table says */
	int64_t top;         /* show only the first rows; 0: all */
	size_t left_out; /* so many rows more, none of which is among the first, are not given */
	size_t width;    /* of a line of text; 0: unlimited */

	bool bold; /* the headings of text are */

	/* Rows without a value, which are not given either: text says at the end "and 12 that held nothing then". */
	size_t zeros;
	const char *zeros_what; /* "held nothing then" */

	/* Written before the rows; NULL: none. JSON is then an object, {"head": {...}, "rows": [...]}. */
	const struct head *head;
};

/*
 * Sort rows by "KEY", "KEY:asc" or "KEY:desc"; without a direction numbers from the largest, texts by the alphabet. Equal
 * rows keep their order; rows with an unknown value are always last. ERR_USAGE: there is no such column.
 */
int table_sort(const struct table *table, const char *sort, const void **rows, size_t rows_nr,
	       struct err *err);

/* Check the options that table_print() will get. ERR_USAGE. */
int table_check(const struct table *table, const struct table_options *options, struct err *err);

/* Whether the options show a column or sort by it. They must have passed table_check(). */
bool table_uses(const struct table *table, const struct table_options *options, const char *key);

/*
 * Whether text shows a known number as an unknown one (column.get_text) in any of the rows that table_print() would print.
 * The options must have passed table_check().
 */
bool table_hides_numbers(const struct table *table, const struct table_options *options,
			 const void **rows, size_t rows_nr);

/* The width of the longest line of text if none were shortened. The options must have passed table_check(). */
size_t table_text_width(const struct table *table, const struct table_options *options,
			const void *const *rows, size_t rows_nr);

/* Sort `rows` and print them. A failed write is left in ferror(out). */
int table_print(const struct table *table, const struct table_options *options, const void **rows,
		size_t rows_nr, FILE *out, struct err *err);

#endif
