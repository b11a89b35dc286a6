/*
 * The rows of results (account.h), in the order in which tables have them unless --sort names another.
 */
#ifndef REPORT_RESULT_ROWS_H
#define REPORT_RESULT_ROWS_H

#include <stddef.h>

#include "report/account.h"

/* Rows of the entries that have a value; `pointers` are what table_print() takes and sorts. */
struct result_rows {
	struct result_row *v;
	const void **pointers;
	size_t nr;
};

void result_rows_init(struct result_rows *rows, const struct results *results);
void result_rows_release(struct result_rows *rows);

/*
 * Leave out the rows that have 0 in the column by which the view is sorted, and in its total: with --at what held nothing
 * at that moment. Returns how many those are.
 */
size_t result_rows_leave_out(struct result_rows *rows, const struct results *results);

#endif
