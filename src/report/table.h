/*
 * Tables of results. One list of columns defines text, CSV and JSON, and what --sort and --columns accept.
 *
 * - text: for people: aligned, human-readable units, control characters as escapes, lines shortened to the width.
 * - json: an array of flat objects, one for each row; numbers are plain, unknown values null. A text that is not UTF-8 has
 *   its exact bytes in a second member, "<key>_hex" (util/json.h).
 * - csv: RFC 4180: a header of keys, lines end with CR LF; numbers are plain, unknown values empty, texts exact; on a
 *   terminal their control characters are escapes.
 *
 * Rows are written one by one: the memory needed does not grow with the output.
 *
 * To add a column: write a getter, add a row to the columns of the view, and describe it in docs/.
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
	/*
	 * A stack: the same, root first. In CSV a ';' in a name becomes ':', so that each ';' separates two frames. If it
	 * is too long text shows its leaf end.
	 */
	COLUMN_STACK,
	COLUMN_NAME,  /* a function; if it is too long text shows both ends (fit_name.h) */
	COLUMN_MIXED, /* a number or a text */
};

/* A value, set by a getter; unknown if nothing was set. */
struct cell {
	bool known;
	int64_t number;               /* INT, BYTES, DURATION, TIME; MIXED without a text */
	double percent;               /* PERCENT */
	const char *text;             /* TEXT, MIXED; borrowed from the row, or `scratch.buf` */
	const struct strvec *strings; /* STRINGS, STACK; borrowed from the row, or `list` */
	struct strbuf scratch;        /* for texts that the getter makes */
	struct strvec list;           /* for strings that the getter makes */
};

#define CELL_INIT \
	{ \
		false, 0, 0, NULL, NULL, STRBUF_INIT, STRVEC_INIT \
	}

void cell_set_number(struct cell *cell, int64_t number);
void cell_set_percent(struct cell *cell, double percent);
void cell_set_text(struct cell *cell, const char *text);                /* NULL: unknown */
void cell_set_strings(struct cell *cell, const struct strvec *strings); /* NULL: unknown */

/* Append a number as text shows it in a column of the type: a size, a duration, or plain. */
void table_add_number(struct strbuf *sb, enum column_type type, int64_t number);

/*
 * The formats that show a column without --columns. For text struct table lists the columns; a column with
 * SHOW_IF_KNOWN is left out if it is unknown in all rows.
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
	bool flexible;     /* its text is the first to be shortened if a line is too long */
	void (*get)(const void *row, struct cell *cell);

	/* Optional: what text shows instead of the exact value; strings and numbers may become one text. */
	void (*get_text)(const void *row, struct cell *cell);
};

struct table {
	const struct column *columns;
	size_t columns_nr;
	const char *text_columns; /* what text shows without --columns, in its syntax */
	const char *wide_columns; /* the same for lines of any width; NULL: text_columns */
	const char *sort;         /* how rows are sorted without --sort; NULL: as given */

	/* Columns before the others, shared by several tables. Ends with NULL; may be NULL. */
	const struct column *const *keys;
};

/* Column `i`, from 0; NULL after the last one. */
const struct column *table_column(const struct table *table, size_t i);

/* The column of this key, or of this heading in any case; NULL: there is none. */
const struct column *table_find(const struct table *table, const char *key);

enum table_format { TABLE_TEXT, TABLE_JSON, TABLE_CSV };

/* Names of the formats, in the enum's order; NULL after the last one. */
const char *table_format_name(size_t i);

#define TABLE_WIDTH 100 /* of a line of text */

struct table_options {
	enum table_format format;
	const char *columns; /* keys, separated by commas; NULL: those of the format */
	const char *sort;    /* see table_sort(); NULL: as the table says */
	int64_t top;         /* show only the first rows; 0: all */
	size_t width;        /* of a line of text; 0: unlimited */
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

/* Sort `rows` and print them. A failed write is left in ferror(out). */
int table_print(const struct table *table, const struct table_options *options, const void **rows,
		size_t rows_nr, FILE *out, struct err *err);

#endif
