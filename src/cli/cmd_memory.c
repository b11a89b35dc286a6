#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/view_books.h"
#include "report/memory_view.h"

static const char *const by_choices[] = { "process", "role",     "part",  "crate",
					  "module",  "function", "stack", NULL };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_CHOICE, "KEY",
	  "what a row is: process (the default), role, part, crate, module, function, stack",
	  offsetof(struct book_values, by), by_choices },
	{ 0, "at", OPT_STRING, "peak|end|TIME",
	  "the moment of outstanding_bytes: the peak of the whole build, the end of the range (the "
	  "default), or a time",
	  offsetof(struct book_values, at), NULL },
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
	struct memory_rows rows;
	int rc;

	memory_rows_from_ledger(&rows, &view->names, &view->memory_books.ledger);
	if (options->format == TABLE_TEXT)
		book_view_print_head(view, stdout);
	rc = table_print(table, options, rows.pointers, rows.nr, stdout, err);
	memory_rows_release(&rows);
	return rc;
}

/* At the peak there is a column for it. */
static bool shows_moment(const char *at)
{
	return at && strcmp(at, "peak") != 0;
}

static int run_memory(const void *data, struct err *err)
{
	const struct book_values *values = data;
	struct book_view view = {
		.values = values,
		.by = book_by_parse(by_choices[values->by]),
		.memory = true,
		.filter = PROCESS_FILTER_INIT,
	};
	struct table table = memory_table(view.by, shows_moment(values->at));
	struct table_options options;
	int rc = view_get_table_options(&values->view, &table, &options, err);

	if (!rc)
		rc = book_at_parse(values->at, &view.at_ns, err);
	if (!rc)
		rc = book_view_open(&view, err);
	if (!rc)
		rc = print(&view, &table, &options, err);
	book_view_close(&view);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command memory_command = {
	.name = "memory",
	.summary = "show who held the memory: by process, crate, function, stack, ...",
	.details = "Memory is what a process may use and the system must back: private, anonymous, "
		   "writable pages. What was held at the peak of the whole build comes first. "
		   "A function or module is that of the innermost frame outside of the allocator.",
	.syntax = { groups, view_args, sizeof(struct book_values) },
	.table = &memory_help_table,
	.run = run_memory,
};
