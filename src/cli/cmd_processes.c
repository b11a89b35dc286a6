#include "cli/command.h"
#include "cli/view_options.h"
#include "cli/view_processes.h"
#include "report/processes_view.h"

static int print_processes(const struct view_values *values, const struct view_run *run,
			   const bool *matched, const struct table_options *options,
			   struct err *err)
{
	struct process_rows rows;

	process_rows_from_list(&rows, &run->processes, matched);
	return view_processes_print_rows(values, run, &rows, &processes_table, options, err);
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
