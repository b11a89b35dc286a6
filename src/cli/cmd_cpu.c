#include <stdio.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/view_books.h"
#include "report/cpu_view.h"

static const char *const by_choices[] = { "process",  "role",   "part",  "crate", "module",
					  "function", "thread", "stack", NULL };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_CHOICE, "KEY",
	  "what a row is: process (the default), role, part, crate, module, function, thread, "
	  "stack",
	  offsetof(struct book_values, by), by_choices },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	BOOK_NAME_GROUP,
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

static int print(struct book_view *view, const struct table *table,
		 const struct table_options *options, struct err *err)
{
	const struct cpu_books *books = &view->cpu_books;
	struct cpu_rows rows;
	int rc;

	cpu_rows_from_entries(&rows, &view->names, books->entries, books->nr, books->total);
	if (options->format == TABLE_TEXT)
		book_view_print_head(view, stdout);
	else
		book_view_warn_stacks(view);
	rc = table_print(table, options, rows.pointers, rows.nr, stdout, err);
	cpu_rows_release(&rows);
	return rc;
}

static int run_cpu(const void *data, struct err *err)
{
	const struct book_values *values = data;
	struct book_view view = {
		.values = values,
		.by = book_by_parse(by_choices[values->by]),
		.filter = PROCESS_FILTER_INIT,
	};
	struct table table = cpu_table(view.by);
	struct table_options options;
	int rc = view_get_table_options(&values->view, &table, &options, err);

	if (!rc)
		rc = book_view_open(&view, err);
	if (!rc)
		rc = print(&view, &table, &options, err);
	book_view_close(&view);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command cpu_command = {
	.name = "cpu",
	.summary = "show who took the time: by process, crate, function, thread, stack, ...",
	.details =
		"Self is the time of the key itself, total that of all stacks it is on. Both are "
		"sums of samples, each of which stands for the time since the one before.",
	.syntax = { groups, view_args, sizeof(struct book_values) },
	.table = &cpu_help_table,
	.run = run_cpu,
};
