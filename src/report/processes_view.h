/*
 * The views `processes` and `tree`: a row per process of the build.
 */
#ifndef REPORT_PROCESSES_VIEW_H
#define REPORT_PROCESSES_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/process_tree.h"
#include "model/process.h"
#include "report/table.h"

/* What the trace tells of a process's memory; PROCESS_UNKNOWN each. */
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
	char *lines;        /* drawn before the image; NULL outside a tree */
	bool whole_command; /* text shows the path of the program too */
};

/* `pointers` are what the table functions take, and sort. */
struct process_rows {
	struct process_row *v;
	const void **pointers;
	size_t nr;
};

extern const struct table processes_table;
extern const struct table tree_table;

/* Rows of those of `list` that `matched` says (NULL: all), in its order. */
void process_rows_from_list(struct process_rows *rows, const struct process_list *list,
			    const bool *matched);

void process_rows_from_tree(struct process_rows *rows, const struct process_tree *tree);

/* Give rows what the trace tells of their processes: `memory` stands by the list that they are of. */
void process_rows_set_memory(struct process_rows *rows, const struct process_list *list,
			     const struct process_memory *memory);

/* Have text show command lines as they were, with the program's path. */
void process_rows_set_whole_command(struct process_rows *rows);

void process_rows_release(struct process_rows *rows);

#endif
