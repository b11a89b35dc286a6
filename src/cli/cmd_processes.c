#include "cli/command.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "report/processes_view.h"

static int print_processes(const struct view_run *run, const bool *matched,
			   const struct table_options *options, struct err *err)
{
	struct process_rows rows;
	int ret;

	process_rows_from_list(&rows, &run->processes, matched);
	if (run->memory)
		process_rows_set_memory(&rows, &run->processes, run->memory);
	if (!options->width)
		process_rows_set_whole_command(&rows);
	ret = table_print(&processes_table, options, rows.pointers, rows.nr, stdout, err);
	process_rows_release(&rows);
	return ret;
}

static int run_processes(const void *values, struct err *err)
{
	return view_run_print(values, &processes_table, print_processes, err);
}

const struct command processes_command = {
	.name = "processes",
	.summary = "list the processes of the build, with command lines",
	.details = "A row for each process, by start. Text shows what fits 100 columns; json and "
		   "csv have every column, with plain numbers: bytes and nanoseconds.",
	.syntax = { view_groups, view_args, sizeof(struct view_values) },
	.table = &processes_table,
	.run = run_processes,
};
