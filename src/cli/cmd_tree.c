#include <stdlib.h>

#include "analysis/process_tree.h"
#include "cli/command.h"
#include "cli/view_options.h"
#include "cli/view_processes.h"
#include "report/processes_view.h"
#include "util/alloc.h"

/* Sort all processes, as indices: the tree keeps the order among the children of one parent. */
static size_t *sort_siblings(const struct view_run *run, const char *sort, struct err *err)
{
	size_t *order = xcalloc(run->processes.nr, sizeof(*order));
	struct process_rows rows;
	int ret;

	process_rows_from_list(&rows, &run->processes, NULL);
	if (run->memory)
		process_rows_set_memory(&rows, &run->processes, run->memory);
	ret = table_sort(&tree_table, sort, rows.pointers, rows.nr, err);
	for (size_t i = 0; !ret && i < rows.nr; i++)
		order[i] = (size_t)((const struct process_row *)rows.pointers[i] - rows.v);
	process_rows_release(&rows);
	if (!ret)
		return order;
	free(order);
	return NULL;
}

static int print_tree(const struct view_values *values, const struct view_run *run,
		      const bool *matched, const struct table_options *options, struct err *err)
{
	struct table_options unsorted = *options;
	struct process_tree tree;
	struct process_rows rows;
	size_t *order = NULL;
	int ret;

	if (options->sort) {
		order = sort_siblings(run, options->sort, err);
		if (!order)
			return -1;
	}
	process_tree_build(&run->processes, matched, order, &tree);
	process_rows_from_tree(&rows, &tree);
	unsorted.sort = NULL;
	ret = view_processes_print_rows(values, run, &rows, &tree_table, &unsorted, err);
	process_tree_release(&tree);
	free(order);
	return ret;
}

static int run_tree(const void *values, struct err *err)
{
	return view_processes_print(values, &tree_table, print_tree, err);
}

const struct command tree_command = {
	.name = "tree",
	.summary = "show which process started which, with start and end",
	.details =
		"Below each process are its children, sorted by start. A process that the filters "
		"leave out is in parentheses if a descendant is shown. --sort sorts the "
		"children of each process.",
	.syntax = { view_groups, view_args, sizeof(struct view_values) },
	.table = &tree_table,
	.examples = { { "Who started the linkers?", "stagetrace tree run --role link" },
		      { "Everything that compiled crates of the compiler",
			"stagetrace tree run --crate 'rustc_*' --wide" } },
	.run = run_tree,
};
