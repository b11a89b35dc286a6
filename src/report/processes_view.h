/*
 * The views `processes` and `tree`: a row per process of the build, as the tracker recorded it (model/process.h); in a bare
 * trace, which has no such record, as its events show it. These numbers exist by process only: they are not metrics
 * (report/account.h).
 *
 * A row may be several processes of the trace, and its memory is put together from theirs: that is why the columns of
 * struct process_memory are not those of account_memory, though the values are the same.
 *
 * To add a number of the tracker: write a getter and a row of the columns in report/processes_view.c. To add one of the
 * trace: also a member of struct process_memory, and its sum and key in cli/view_processes.c. Both: docs/processes.md.
 */
#ifndef REPORT_PROCESSES_VIEW_H
#define REPORT_PROCESSES_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/process_tree.h"
#include "model/process.h"
#include "report/table.h"

/* The memory of a process, from the trace. PROCESS_UNKNOWN: unknown. */
struct process_memory {
	int64_t size_bytes;
	int64_t peak_bytes;
	int64_t at_peak_bytes;
};

#define PROCESS_MEMORY_INIT \
	{ \
		PROCESS_UNKNOWN, PROCESS_UNKNOWN, PROCESS_UNKNOWN \
	}

struct process_row {
	const struct process *process; /* borrowed */
	struct process_memory memory;
	size_t depth;
	bool matched;
	char *lines; /* the lines of the tree to the left of the image; NULL outside a tree */
	bool whole_command; /* text shows the path of the program */
};

/* `pointers` are what the table functions take, and sort. */
struct process_rows {
	struct process_row *v;
	const void **pointers;
	size_t nr;
};

extern const struct table processes_table;
extern const struct table tree_table;

/* Make rows for the processes of `list` that are `matched` (NULL: all), in its order. */
void process_rows_from_list(struct process_rows *rows, const struct process_list *list,
			    const bool *matched);

void process_rows_from_tree(struct process_rows *rows, const struct process_tree *tree);

/* Set the memory of all rows; `memory` is by the index in `list`. */
void process_rows_set_memory(struct process_rows *rows, const struct process_list *list,
			     const struct process_memory *memory);

void process_rows_release(struct process_rows *rows);

#endif
