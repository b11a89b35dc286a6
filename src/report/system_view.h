/*
 * The view `system`: a list of facts about the recording: the machine, what was recorded and how, what was lost.
 */
#ifndef REPORT_SYSTEM_VIEW_H
#define REPORT_SYSTEM_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "report/table.h"

struct system_row {
	char *section, *key;
	char *text; /* NULL: it is a number */
	int64_t number;
	enum column_type type; /* of the number, for text */
};

/* Rows, as the table functions take and sort them. */
struct system_rows {
	const void **v;
	size_t nr, alloc;
};

extern const struct table system_table;

/* Add a fact; nothing is added if `text` is NULL. The texts are copied. */
void system_rows_add(struct system_rows *rows, const char *section, const char *key,
		     const char *text);

/* Add a number of type INT, BYTES, DURATION or TIME; nothing is added if it is below 0. */
void system_rows_add_number(struct system_rows *rows, const char *section, const char *key,
			    enum column_type type, int64_t number);

void system_rows_release(struct system_rows *rows);

#endif
