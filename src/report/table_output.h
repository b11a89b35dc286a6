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
	const struct head *head;
	FILE *out;
};

/* One for each of enum table_format. A failed write is left in ferror(output->out). */
void table_write_text(const struct table_output *output);
void table_write_json(const struct table_output *output);
void table_write_csv(const struct table_output *output);

/* The width of the longest line of text, where `width` is unlimited. */
size_t table_measure_text(const struct table_output *output);

#endif
