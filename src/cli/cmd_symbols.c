#include <stdlib.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_results.h"
#include "report/symbols_view.h"
#include "util/alloc.h"

static const struct opt option_rows[] = {
	{ 0, "symfs", OPT_STRING, "DIR",
	  "search ELF files of the traced machine in DIR first: by build id, traced path, name",
	  offsetof(struct results_values, symfs), NULL },
	{ 0, "debuginfod", OPT_FLAG, NULL,
	  "ask the servers of DEBUGINFOD_URLS for debug files that are missing here",
	  offsetof(struct results_values, debuginfod), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Names", option_rows, 0 },
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

/*
 * Play the trace, count by function, and add the modules. Returns 1, with the reason in `err`, if the trace has nothing to
 * count.
 */
static int count(const struct results_values *values, const struct account *account,
		 struct symbols_rows *rows, struct head *head, struct err *err)
{
	struct results_view view = {
		.values = values,
		.account = account,
		.by = { BY_FUNCTION },
		.by_nr = 1,
	};
	struct view_head facts;
	int rc = results_view_open(&view, err);

	if (!rc) {
		symbols_rows_add(rows, &view.results, view.replay.symbolizer);
		if (account == &account_cpu || rows->cpu_ns < 0) {
			facts = results_view_head(&view);
			view_head_begin(&facts, head);
			view_head_end(&facts, head);
		}
	} else if (err->code == ERR_UNSUPPORTED && view.replay_open) {
		rc = 1;
	}
	results_view_close(&view);
	return rc;
}

/* The trace has neither. */
static int refuse(const struct err *cpu, struct err *memory)
{
	char *text = xasprintf("%s; %s", cpu->msg, memory->msg);

	err_clear(memory);
	err_set(memory, ERR_UNSUPPORTED, "%s", text);
	free(text);
	return -1;
}

static int print(const struct results_values *values, struct table_options *options,
		 struct err *err)
{
	struct symbols_rows rows = SYMBOLS_ROWS_INIT;
	struct head head = HEAD_INIT;
	struct err no_cpu = ERR_INIT;
	int rc = count(values, &account_cpu, &rows, &head, &no_cpu), memory;

	if (rc < 0) {
		*err = no_cpu;
		no_cpu = (struct err)ERR_INIT;
	}
	memory = rc < 0 ? -1 : count(values, &account_memory, &rows, &head, err);
	/* One of them is enough. */
	if (memory > 0 && !rc)
		err_clear(err);
	if (rc > 0 && memory > 0)
		memory = refuse(&no_cpu, err);
	if (memory >= 0) {
		symbols_rows_finish(&rows);
		if (values->view.head || options->format == TABLE_TEXT)
			options->head = &head;
		rc = view_print_table(&values->view, &symbols_table, options, rows.v, rows.nr, err);
	}
	err_clear(&no_cpu);
	symbols_rows_release(&rows);
	head_release(&head);
	return memory < 0 || rc < 0 ? -1 : 0;
}

static int run_symbols(const void *data, struct err *err)
{
	const struct results_values *values = data;
	struct table_options options;

	if (view_get_table_options(&values->view, &symbols_table, &options, err))
		return -1;
	return print(values, &options, err) ? -1 : EXIT_CODE_DONE;
}

const struct command symbols_command = {
	.name = "symbols",
	.summary = "show which modules have names, which not, and why",
	.details =
		"A row for each program, library or kernel in whose code CPU samples are, or whose "
		"functions asked for memory, with its share of both. Names come from the run, "
		"else from files of this machine: where cpu and memory take them from.",
	.syntax = { groups, view_args, sizeof(struct results_values) },
	.table = &symbols_table,
	.examples = { { "Which modules have no names, and why?", "stagetrace symbols run" },
		      { "Ids of the PDBs, for a symbol server",
			"stagetrace symbols run --format csv --columns "
			"path,symbol_id,reason" } },
	.run = run_symbols,
};
