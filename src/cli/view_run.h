/*
 * What a view is about, a run or a bare trace, read; what a reader of its results must know goes to stderr.
 */
#ifndef CLI_VIEW_RUN_H
#define CLI_VIEW_RUN_H

#include <stdbool.h>

#include "cli/view_options.h"
#include "model/process.h"
#include "report/processes_view.h"
#include "report/table.h"
#include "rundir/manifest.h"
#include "rundir/source.h"
#include "util/err.h"

struct view_run {
	const char *path;              /* as given, the first; borrowed */
	const struct strvec *paths;    /* all; borrowed */
	struct run_source *source;     /* NULL: a bare trace, `paths` are its files */
	struct manifest manifest;      /* empty where it could not be read */
	struct process_memory *memory; /* of each process, by the trace; NULL: not looked at */
	struct process_list processes; /* of a bare trace: those that were found by playing it */
};

/* `run` is to be closed only where it was opened. Only a bare trace may have several paths. */
int view_run_open(const struct strvec *paths, struct view_run *run, struct err *err);
void view_run_close(struct view_run *run);

/* `matched` has an element for each process of the run: whether the filters want it. */
typedef int view_print_fn(const struct view_run *run, const bool *matched,
			  const struct table_options *options, struct err *err);

/*
 * All of a view of processes but its rows: check the options, open the run, play its trace for what only that
 * tells, where a column that is shown needs it, filter the processes, say what was not found, and call `print`.
 * An exit code, or -1.
 */
int view_run_print(const struct view_values *values, const struct table *table,
		   view_print_fn *print, struct err *err);

#endif
