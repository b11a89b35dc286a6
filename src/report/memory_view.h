/*
 * The view `memory`: what each key committed, freed and held. Definitions: analysis/ledger.h, docs/memory.md.
 */
#ifndef REPORT_MEMORY_VIEW_H
#define REPORT_MEMORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/ledger.h"
#include "report/group_columns.h"
#include "report/table.h"

struct memory_row {
	struct group_row key;
	const struct ledger_entry *entry;
};

/* `pointers` are what the table functions take, and sort. */
struct memory_rows {
	struct memory_row *v;
	const void **pointers;
	size_t nr;
};

/*
 * The table of a kind of key, any but BY_THREAD. Rows are sorted by what was held at the peak of the whole build, or (`at`: the
 * user asked for another moment) outstanding then, and text shows that first.
 */
struct table memory_table(enum group_by by, bool at);

/* With the columns of all keys: for the help. */
extern const struct table memory_help_table;

/*
 * A row for each key of names->grouping that has anything in the range, from the highest peak. All borrowed.
 */
void memory_rows_from_ledger(struct memory_rows *rows, const struct group_names *names,
			     const struct ledger *ledger);
void memory_rows_release(struct memory_rows *rows);

#endif
