/*
 * What the commands `processes` and `tree` share: the processes of a run with their memory from its trace, or the
 * processes of a bare trace.
 */
#ifndef CLI_VIEW_PROCESSES_H
#define CLI_VIEW_PROCESSES_H

#include "analysis/process_filter.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "report/table.h"
#include "util/err.h"

/*
 * Play the trace if a shown column, the sorting or the head needs it, and set run->memory; for a bare trace also CPU
 * times. If the trace of a run is missing or has no memory events, the values remain unknown, and a message says so. Set
 * the head unless it is NULL; its peak is of the whole build, whatever the filters.
 */
int view_processes_play(struct view_run *run, const struct table *table,
			const struct table_options *options, const struct process_filter *filter,
			struct head *head, struct err *err);

/* A view of processes that is ready to be printed; all is borrowed. */
struct processes_view {
	const struct view_values *values;
	const struct process_filter *filter;
	const struct view_run *run;
	const bool *matched; /* whether the filters let each process of the run through */
	const struct table_options *options;
};

/* Print the view. */
typedef int view_print_fn(const struct processes_view *view, struct err *err);

/*
 * Run a view of processes: check the options, open the run, play the trace if needed, filter the processes, print a
 * note about filters without a match, and call `print`. Returns an exit code, or -1.
 */
int view_processes_print(const struct view_values *values, const struct table *table,
			 view_print_fn *print, struct err *err);

/*
 * For use in `print`: print the rows and release them. `options` may differ from those of the view.
 */
int view_processes_print_rows(const struct processes_view *view, struct process_rows *rows,
			      const struct table *table, const struct table_options *options,
			      struct err *err);

#endif
