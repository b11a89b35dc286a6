/*
 * What the views of processes take from the trace: the memory of each, and in a bare trace the processes
 * themselves.
 */
#ifndef CLI_VIEW_PROCESSES_H
#define CLI_VIEW_PROCESSES_H

#include "analysis/process_filter.h"
#include "cli/view_run.h"
#include "report/table.h"
#include "util/err.h"

/*
 * Play the trace where a column that is shown or sorted by needs it, and fill run->memory; CPU time too where
 * the tracker has none. A run whose trace is missing or can't tell of memory leaves them unknown, and says so.
 */
int view_processes_play(struct view_run *run, const struct table *table,
			const struct table_options *options, const struct process_filter *filter,
			struct err *err);

#endif
