#include <stdlib.h>
#include <string.h>

#include "analysis/process_tree.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_options.h"
#include "cli/view_processes.h"
#include "report/processes_view.h"
#include "util/alloc.h"
#include "util/text.h"

/* Characters of images and crates, with their gaps: where less is left, one column of numbers gives way. */
#define TEXTS_LEAST (14 + 2 + 12 + 2)

/* Characters that bars have: less is of no use, more needs no room. */
#define BAR_LEAST 16
#define BAR_MOST  60

struct tree_values {
	struct view_values view; /* must be first, as in every view */
	int64_t depth;
	const char *min_duration;
};

static const struct opt option_rows[] = {
	{ 0, "depth", OPT_NUMBER, "N", "only the first N generations",
	  offsetof(struct tree_values, depth), NULL },
	{ 0, "min-duration", OPT_STRING, "TIME",
	  "only processes that ran so long, as in 500ms or 10s, and those that started them",
	  offsetof(struct tree_values, min_duration), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

static int parse_duration(const char *text, int64_t *ns, struct err *err)
{
	if (text_parse_duration(text, NS_PER_S, ns))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--min-duration takes a duration, as in 500ms or 10s, not '%s'", text);
}

/* Sort all processes, as indices: the tree keeps the order among the children of one parent. */
static size_t *sort_siblings(const struct view_run *run, const char *sort, struct err *err)
{
	size_t *order = xcalloc(run->processes.nr, sizeof(*order));
	struct process_rows rows;
	int ret;

	process_rows_from_list(&rows, &run->processes, NULL);
	process_rows_set_memory(&rows, &run->processes, run->memory);
	process_rows_set_exact(&rows, &run->processes, run->exact, run->waits);
	ret = table_sort(&tree_table, sort, rows.pointers, rows.nr, err);
	for (size_t i = 0; !ret && i < rows.nr; i++)
		order[i] = (size_t)((const struct process_row *)rows.pointers[i] - rows.v);
	process_rows_release(&rows);
	if (!ret)
		return order;
	free(order);
	return NULL;
}

/* The range of time, as far as a process of the run was seen in it. */
static struct process_bars find_axis(const struct processes_view *view)
{
	const struct process_list *list = &view->run->processes;
	struct process_bars bars = { .start_ns = view->filter->from_ns > 0 ? view->filter->from_ns
									   : 0 };

	for (size_t i = 0; i < list->nr; i++) {
		const struct process *process = list->v[i];
		int64_t last_ns =
			process->end_ns != PROCESS_UNKNOWN ? process->end_ns : process->start_ns;

		if (last_ns > bars.end_ns)
			bars.end_ns = last_ns;
	}
	if (bars.end_ns > view->filter->to_ns)
		bars.end_ns = view->filter->to_ns;
	return bars;
}

/* The characters of a line without the bars, which --columns may name. */
static size_t width_without_bars(const struct table_options *options,
				 const struct process_rows *rows)
{
	size_t used = table_text_width(&tree_table, options, rows->pointers, rows->nr);
	size_t heading = strlen(table_find(&tree_table, "bar")->heading);

	if (!options->columns)
		return used + 2; /* the gap between columns */
	return used > heading ? used - heading : 0;
}

/* Whether lines are too short for both columns of memory. */
static bool is_narrow(const struct processes_view *view, const struct process_rows *rows)
{
	struct table_options numbers = *view->options;

	if (numbers.format != TABLE_TEXT || numbers.columns || !numbers.width || !view->run->memory)
		return false;
	numbers.columns = "pid,start_ns,end_ns,peak_rss_bytes,peak_bytes";
	return table_text_width(&tree_table, &numbers, rows->pointers, rows->nr) + TEXTS_LEAST >
	       numbers.width;
}

/* Give the rows bars where there is room. Returns the table to print. */
static const struct table *add_bars(const struct processes_view *view, struct process_rows *rows,
				    struct process_bars *bars)
{
	const struct table_options *options = view->options;
	size_t used = width_without_bars(options, rows);

	if (is_narrow(view, rows))
		return &tree_table_narrow;
	*bars = find_axis(view);
	bars->width = BAR_MOST;
	if (options->width && used + bars->width > options->width)
		bars->width = used < options->width ? options->width - used : 0;
	if (options->format != TABLE_TEXT || bars->width < BAR_LEAST ||
	    bars->end_ns <= bars->start_ns)
		return &tree_table;
	for (size_t i = 0; i < rows->nr; i++)
		rows->v[i].bars = bars;
	return &tree_table_with_bars;
}

static int print_tree(const struct processes_view *view, struct err *err)
{
	const struct tree_values *values = (const struct tree_values *)view->values;
	const struct view_run *run = view->run;
	struct table_options unsorted = *view->options;
	struct process_bars bars;
	struct process_tree tree;
	struct process_rows rows;
	const struct table *table;
	int64_t least_ns = 0;
	size_t *order = NULL, had_nr;
	int ret;

	if (values->min_duration && parse_duration(values->min_duration, &least_ns, err))
		return -1;
	if (unsorted.sort) {
		order = sort_siblings(run, unsorted.sort, err);
		if (!order)
			return -1;
	}
	process_tree_build(&run->processes, view->matched, order, &tree);
	had_nr = tree.nr;
	process_tree_prune(&tree, (size_t)values->depth, least_ns);
	if (had_nr && !tree.nr) {
		struct strbuf least = STRBUF_INIT;

		text_add_duration(&least, least_ns);
		message_printf("note: ", "no process that matches ran for %s", least.buf);
		strbuf_release(&least);
	}
	process_rows_from_tree(&rows, &tree);
	process_rows_set_memory(&rows, &run->processes, run->memory);
	process_rows_set_exact(&rows, &run->processes, run->exact, run->waits);
	table = add_bars(view, &rows, &bars);
	unsorted.sort = NULL;
	ret = view_processes_print_rows(view, &rows, table, &unsorted, err);
	process_tree_release(&tree);
	free(order);
	return ret;
}

/* Mistakes are found before the run is read. */
static int run_tree(const void *data, struct err *err)
{
	const struct tree_values *values = data;
	int64_t ns;

	if (values->min_duration && parse_duration(values->min_duration, &ns, err))
		return -1;
	return view_processes_print(&values->view, &tree_table, print_tree, err);
}

const struct command tree_command = {
	.name = "tree",
	.summary = "show which process started which, with start and end",
	.details =
		"Below each process are its children, sorted by start. A process that the filters "
		"leave out is in parentheses if a descendant is shown. --sort sorts the "
		"children of each process. +N after a name: N processes below it are not shown. "
		"Where lines have room, bars show when the processes ran.",
	.syntax = { groups, view_args, sizeof(struct tree_values) },
	.table = &tree_table,
	.examples = { { "Who started the linkers?", "stagetrace tree run --role link" },
		      { "What took longer than a minute?",
			"stagetrace tree run --min-duration 1m" },
		      { "Everything that compiled crates of the compiler",
			"stagetrace tree run --crate 'rustc_*' --wide" } },
	.run = run_tree,
};
