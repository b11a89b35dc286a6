#include "cli/command.h"
#include "cli/view_options.h"
#include "cli/view_processes.h"
#include "report/processes_view.h"

static int print_processes(const struct processes_view *view, struct err *err)
{
	struct process_rows rows;

	process_rows_from_list(&rows, &view->run->processes, view->matched);
	process_rows_set_memory(&rows, &view->run->processes, view->run->memory);
	process_rows_set_exact(&rows, &view->run->processes, view->run->exact, view->run->waits);
	return view_processes_print_rows(view, &rows, &processes_table, view->options, err);
}

static int run_processes(const void *values, struct err *err)
{
	return view_processes_print(values, &processes_table, print_processes, err);
}

const struct command processes_command = {
	.name = "processes",
	.summary = "list the processes of the build, with command lines",
	.details = "A row for each process, sorted by start. Text shows the columns that fit a "
		   "line; json "
		   "and csv have all columns, with plain numbers: bytes and nanoseconds.",
	.syntax = { view_groups, view_args, sizeof(struct view_values) },
	.table = &processes_table,
	.examples = { { "Which compilers needed the most memory?",
			"stagetrace processes run --role rustc --sort peak_rss_bytes --top 10" },
		      { "CPU time by process, for a spreadsheet",
			"stagetrace processes run --format csv --columns crate,part,cpu_ns" } },
	.run = run_processes,
};
