/*
 * The run a view is about, read; what a reader of its results must know goes to stderr.
 */
#ifndef CLI_VIEW_RUN_H
#define CLI_VIEW_RUN_H

#include <stdbool.h>

#include "cli/view_options.h"
#include "model/process.h"
#include "report/table.h"
#include "rundir/manifest.h"
#include "rundir/source.h"
#include "util/err.h"

struct view_run {
	struct run_source *source;
	struct manifest manifest; /* empty where it could not be read */
	struct process_list processes;
};

/* `run` is to be closed only where it was opened. */
int view_run_open(const char *path, struct view_run *run, struct err *err);
void view_run_close(struct view_run *run);

/* `matched` has an element for each process of the run: whether the filters want it. */
typedef int view_print_fn(const struct view_run *run, const bool *matched,
			  const struct table_options *options, struct err *err);

/*
 * All of a view but its rows: check the options, open the run, filter its processes, say what was not found,
 * and call `print`. An exit code, or -1.
 */
int view_run_print(const struct view_values *values, const struct table *table,
		   view_print_fn *print, struct err *err);

#endif
