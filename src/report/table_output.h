/*
 * What the formats of a table share: private to report/table*.c. A format is a function that writes a struct table_output.
 */
#ifndef REPORT_TABLE_OUTPUT_H
#define REPORT_TABLE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/column.h"

struct head;

struct table_output {
	const struct column *const *columns;
	const bool *identity; /* by column: it is a part of what the rows are of */
	size_t columns_nr;
	uint32_t (*parent)(const void *row); /* NULL: the rows are no tree */
	const void *const *rows;
	size_t rows_nr;
	size_t more; /* rows that are not shown */
	size_t zeros;
	const char *zeros_what;
	size_t width;
	bool bold;   /* the headings of text */
	bool chosen; /* columns, or their order, were asked for: text leaves none out */
	bool listed; /* the columns were asked for: text leaves none out for width */
	const struct column *sorted; /* NULL: the rows are as given */
	const struct head *head;
	FILE *out;
};

#define GAP       2  /* between columns of text */
#define NARROWEST 10 /* a column of text that is shortened, while others may be left out */

/*
 * Leave out columns of text where there is no room: numbers from the last one on, then texts; never those that say what a
 * row is of, nor the one that rows are sorted by. Of sorted rows numbers give way until one can read what rows are of.
 * The arrays are those of the output, and what each column needs. `line` gets the line that says which.
 */
void table_drop_columns(struct table_output *output, const struct column **columns, bool *identity,
			size_t *widths, struct strbuf *line);

/* One for each of enum table_format. A failed write is left in ferror(output->out). */
void table_write_text(const struct table_output *output);
void table_write_json(const struct table_output *output);
void table_write_jsonl(const struct table_output *output);
void table_write_csv(const struct table_output *output);

/* Append a text as a field of CSV: its bytes as they are, but not on a terminal, which they could control. */
void table_add_csv_field(struct strbuf *sb, const char *text, bool terminal);

/* The width of the longest line of text, where `width` is unlimited. */
size_t table_measure_text(const struct table_output *output);

#endif
