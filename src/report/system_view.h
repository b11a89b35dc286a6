/*
 * The view `system`: what was recorded, on which machine, by what, and what of it is missing: a list of facts.
 */
#ifndef REPORT_SYSTEM_VIEW_H
#define REPORT_SYSTEM_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "report/table.h"

struct system_row {
	const char *section; /* not copied: a literal */
	char *key;
	char *text; /* NULL: it is a number */
	int64_t number;
	enum column_type type; /* of the number: what it is in text */
};

/* `pointers` are what the table functions take, and sort. */
struct system_rows {
	struct system_row *v;
	const void **pointers;
	size_t nr, alloc;
};

#define SYSTEM_ROWS_INIT \
	{ \
		NULL, NULL, 0, 0 \
	}

extern const struct table system_table;

/* Add a fact; NULL, which is not known, is none. `key` and `text` are copied. */
void system_rows_add(struct system_rows *rows, const char *section, const char *key,
		     const char *text);

/* A number of INT, BYTES, DURATION or TIME; one below 0 is not known. */
void system_rows_add_number(struct system_rows *rows, const char *section, const char *key,
			    enum column_type type, int64_t number);

/* `rows->pointers` are good after this. */
void system_rows_finish(struct system_rows *rows);
void system_rows_release(struct system_rows *rows);

#endif
