/*
 * The view `cpu`: which key ran for how long.
 */
#ifndef REPORT_CPU_VIEW_H
#define REPORT_CPU_VIEW_H

#include <stddef.h>

#include "analysis/cpu_account.h"
#include "report/group_columns.h"
#include "report/table.h"

struct cpu_row {
	struct group_row key;
	const struct cpu_entry *entry;
	double percent; /* self, of all that passed the filters */
};

/* `pointers` are what the table functions take, and sort. */
struct cpu_rows {
	struct cpu_row *v;
	const void **pointers;
	size_t nr;
};

/* The table of a kind of key, sorted by self. */
struct table cpu_table(enum group_by by);

/* With the columns of all keys: for the help. */
extern const struct table cpu_help_table;

/*
 * A row for each of the `nr` entries, which stand by the keys of names->grouping, that has any time. `total`:
 * see cpu_account_total(). All but that borrowed.
 */
void cpu_rows_from_entries(struct cpu_rows *rows, const struct group_names *names,
			   const struct cpu_entry *entries, size_t nr, struct cpu_entry total);
void cpu_rows_release(struct cpu_rows *rows);

#endif
