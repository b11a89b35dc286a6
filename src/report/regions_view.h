/*
 * The table of `memory --by region`: a row for each range that one event committed and one event ended
 * (analysis/lifetime.h).
 *
 * A trace has millions. If only the first rows are to be shown, no more than some of them are kept.
 */
#ifndef REPORT_REGIONS_VIEW_H
#define REPORT_REGIONS_VIEW_H

#include "report/account.h"
#include "report/table.h"

extern const struct table regions_table,
	heap_regions_table; /* the latter has the heaps of blocks too */

struct region_row;

struct regions_view {
	/* Set by the caller, borrowed: results by BY_PROCESS and BY_STACK, and options that passed table_check(). */
	const struct results *results;
	struct table_options options;

	struct region_row *rows;
	size_t rows_nr, rows_alloc;
	size_t left_out;
};

/* Where the account puts its regions: account_request.regions. `at_moment`: only those held at the moment of --at. */
struct region_sink regions_view_sink(struct regions_view *view, bool at_moment);

/* Its rows, for table_print(); the caller frees the list. `left_out` says how many more there were. */
const void **regions_view_rows(const struct regions_view *view);

void regions_view_release(struct regions_view *view);

#endif
