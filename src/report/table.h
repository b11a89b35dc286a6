/*
 * Tables of results: one list of columns that text, CSV, JSON, --sort and --columns read.
 *
 * - text: aligned, for people: human units, control characters as escapes, lines cut to the width.
 * - json: an array of flat objects, a row each, numbers plain, null where not known. A text that is not
 *   UTF-8 has its exact bytes in a second member, "<key>_hex" (util/json.h).
 * - csv: RFC 4180: a header of keys, lines end with CR LF; numbers plain, empty where not known.
 *
 * Rows are written as they are made: the memory needed does not grow with the output.
 *
 * To add a column: a getter and a row in the view's array of columns, its line in docs/.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_INT,
	COLUMN_BYTES,
	COLUMN_DURATION, /* nanoseconds */
	COLUMN_TIME,     /* nanoseconds from the start of the recording */
	COLUMN_PERCENT,
	COLUMN_STRINGS, /* an array in JSON, joined by ';' elsewhere */
	COLUMN_STACK, /* the same, root first; of one that is too long, text shows the leaf's end */
	COLUMN_NAME, /* of a function: of one that is too long, text shows both ends (fit_name.h) */
	COLUMN_MIXED, /* a number in rows that have one, else a text */
};

/* What a getter gives. Nothing set: not known. */
struct cell {
	bool known;
	int64_t number;               /* INT, BYTES, DURATION, TIME; MIXED without a text */
	double percent;               /* PERCENT */
	const char *text;             /* TEXT, MIXED; borrowed from the row, or `scratch.buf` */
	const struct strvec *strings; /* STRINGS, STACK; borrowed from the row, or `list` */
	struct strbuf scratch;        /* for texts that have to be made */
	struct strvec list;           /* for strings that have to be */
};

void cell_set_number(struct cell *cell, int64_t number);
void cell_set_percent(struct cell *cell, double percent);
void cell_set_text(struct cell *cell, const char *text);                /* NULL: not known */
void cell_set_strings(struct cell *cell, const struct strvec *strings); /* NULL: not known */

/*
 * Which formats show a column where --columns does not say; text has a choice of its own, and drops from it
 * what no row knows where the column says so.
 */
enum column_show {
	SHOW_CSV = 1,
	SHOW_JSON = 2,
	SHOW_DATA = SHOW_CSV | SHOW_JSON,
	SHOW_IF_KNOWN = 4,
};

struct column {
	const char *key;     /* in CSV, JSON and options */
	const char *heading; /* in text */
	const char *help;
	enum column_type type;
	unsigned int show; /* of enum column_show */
	bool flexible;     /* its text is the first to be cut where a line is too long */
	void (*get)(const void *row, struct cell *cell);

	/* Optional: what text shows in place of the exact value; of strings it may make one text. */
	void (*get_text)(const void *row, struct cell *cell);
};

struct table {
	const struct column *columns;
	size_t columns_nr;
	const char *text_columns; /* what text shows where --columns does not say, as there */
	const char *wide_columns; /* the same where lines may be of any width; NULL: no others */
	const char *sort; /* how rows are sorted where --sort does not say; NULL: as given */

	/* Columns that stand before the others: those that several tables share. Ends with NULL; may be NULL. */
	const struct column *const *keys;
};

/* Column `i`, from 0; NULL behind the last one. */
const struct column *table_column(const struct table *table, size_t i);

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV };

/* Names of the formats, in the enum's order; ends with NULL. */
extern const char *const table_format_names[];

#define TABLE_WIDTH 100 /* a line of text, where nothing else is asked for */

struct table_options {
	enum table_format format;
	const char *columns; /* keys, with commas between; NULL: the format's own choice */
	const char *sort;    /* see table_sort(); NULL: the table's own choice */
	int64_t top;         /* only the first rows; 0: all */
	size_t width;        /* of a line of text; 0: as long as it takes */
};

/*
 * Sort rows by "KEY", "KEY:asc" or "KEY:desc"; without a direction numbers are sorted from the largest, text
 * from the first in the alphabet. Rows that are equal keep their order; those where the value is not known
 * come last either way. ERR_USAGE where there is no such column.
 */
int table_sort(const struct table *table, const char *sort, const void **rows, size_t rows_nr,
	       struct err *err);

/* Whether table_print() would take the options: to be told before the work. ERR_USAGE. */
int table_check(const struct table *table, const struct table_options *options, struct err *err);

/* Whether a column is shown or sorted by with options that table_check() takes. */
bool table_uses(const struct table *table, const struct table_options *options, const char *key);

/* Sorts `rows` where asked to. A failed write is left in ferror(out). */
int table_print(const struct table *table, const struct table_options *options, const void **rows,
		size_t rows_nr, FILE *out, struct err *err);

#endif
