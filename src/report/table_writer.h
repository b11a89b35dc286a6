/*
 * The formats of a table: one file and one table_writer each, listed in table.c.
 */
#ifndef REPORT_TABLE_WRITER_H
#define REPORT_TABLE_WRITER_H

#include "report/table.h"

/* A table ready to be written. */
struct table_output {
	const struct column *const *columns;
	size_t columns_nr;
	const void *const *rows;
	size_t rows_nr;
	size_t width;
	FILE *out;
};

struct table_writer {
	unsigned int show; /* the bit of its columns, of enum column_show; 0: text's own choice */
	void (*write)(const struct table_output *output);
};

extern const struct table_writer text_writer;
extern const struct table_writer json_writer;
extern const struct table_writer csv_writer;

/* Fill `cell` anew from a getter. */
void cell_get(struct cell *cell, void (*get)(const void *row, struct cell *cell), const void *row);
void cell_release(struct cell *cell);

bool column_is_text(const struct column *column); /* it is written to the left */

/* Strings in one text, ';' between. */
void cell_add_joined(struct strbuf *sb, const struct strvec *strings);

#define CELL_INIT \
	{ \
		false, 0, 0, NULL, NULL, STRBUF_INIT, STRVEC_INIT \
	}

#endif
