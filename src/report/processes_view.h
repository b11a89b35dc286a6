/*
 * The views `processes` and `tree`: a row per process of the build, as the tracker recorded it (model/process.h); in a bare
 * trace, which has no such record, as its events show it. Numbers of the tracker exist by process only; those of
 * memory are from account_memory (report/account.h).
 *
 * To add a number: give it a row of the columns in report/processes_view.c, and a getter there, with MEMORY() if it is one
 * of account_memory. Describe it in docs/processes.md.
 */
#ifndef REPORT_PROCESSES_VIEW_H
#define REPORT_PROCESSES_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_exact.h"
#include "analysis/ledger.h"
#include "analysis/process_tree.h"
#include "model/process.h"
#include "report/table.h"

/* The axis of the bars in text. */
struct process_bars {
	int64_t start_ns, end_ns;
	size_t width; /* in characters */
};

struct process_row {
	const struct process *process;     /* borrowed */
	const struct ledger_entry *memory; /* borrowed; of account_memory; NULL: unknown */
	const struct cpu_exact *exact;     /* borrowed; of context switches; NULL: unknown */
	bool waits;                        /* `exact` has the times of threads that waited */
	size_t depth;
	bool matched;
	size_t hidden; /* descendants that match, but are not shown */
	char *lines;   /* the lines of the tree to the left of the image; NULL outside a tree */
	const struct process_bars *bars; /* borrowed; NULL: there are none */
	bool whole_command;              /* text shows the path of the program */
};

/* `pointers` are what the table functions take, and sort. */
struct process_rows {
	struct process_row *v;
	const void **pointers;
	size_t nr;
};

extern const struct table processes_table;
extern const struct table tree_table;
extern const struct table tree_table_narrow;    /* the same without resident memory */
extern const struct table tree_table_with_bars; /* the same with bars in text */

/* Make rows for the processes of `list` that are `matched` (NULL: all), in its order. */
void process_rows_from_list(struct process_rows *rows, const struct process_list *list,
			    const bool *matched);

void process_rows_from_tree(struct process_rows *rows, const struct process_tree *tree);

/* Set the memory of all rows; `memory`, which they borrow, is by the index in `list`. NULL: it stays unknown. */
void process_rows_set_memory(struct process_rows *rows, const struct process_list *list,
			     const struct ledger_entry *memory);

/* The same of context switches; `waits`: they have the times of threads that waited. */
void process_rows_set_exact(struct process_rows *rows, const struct process_list *list,
			    const struct cpu_exact *exact, bool waits);

void process_rows_release(struct process_rows *rows);

#endif
