#include <stdio.h>

#include "cli/command.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "cli/view_system.h"

static const struct opt_group groups[] = { VIEW_OUTPUT_GROUP, OPT_GROUP_END };

static void make_head(const struct view_run *run, const struct trace_facts *facts,
		      struct head *head)
{
	const struct view_head view = view_run_head(run, facts, 0, INT64_MAX);

	view_head_begin(&view, head);
	view_head_end(&view, head);
}

/* Play the whole trace, to count its events. */
static int add_trace(struct system_rows *rows, struct view_run *run, struct head *head,
		     struct err *err)
{
	struct view_trace_options options = { .tags = false };
	struct replay replay;
	int rc;

	rc = view_run_has_trace(run) ? view_trace_open_optional(run, &options, &replay, err) : 1;
	if (rc > 0)
		make_head(run, NULL, head);
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = view_trace_play(&replay, NULL, NULL, err);
	if (!rc) {
		const struct trace_facts *facts = replay_facts(&replay);

		make_head(run, facts, head);
		view_system_add_trace(rows, facts);
	}
	replay_close(&replay);
	return rc;
}

static int print_system(struct view_run *run, const struct view_values *values,
			struct table_options *options, struct err *err)
{
	struct system_rows rows = { NULL, 0, 0 };
	struct head head = HEAD_INIT;
	int rc;

	view_system_add_run(&rows, run);
	rc = add_trace(&rows, run, &head, err);
	options->head = values->head ? &head : NULL;
	if (!rc)
		rc = view_print_table(values, &system_table, options, rows.v, rows.nr, err);
	system_rows_release(&rows);
	head_release(&head);
	return rc;
}

static int run_system(const void *data, struct err *err)
{
	const struct view_values *values = data;
	struct table_options options;
	struct view_run run;
	int rc;

	if (view_get_table_options(values, &system_table, &options, err) ||
	    view_run_open(&values->traces, VIEW_NO_STACKS, &run, err))
		return -1;
	rc = print_system(&run, values, &options, err);
	view_run_close(&run);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command system_command = {
	.name = "system",
	.summary = "show what was recorded: machine, commands, clock, events, losses",
	.details = "The manifest of the run, and the contents of the trace: events by kind, and "
		   "whether memory can be counted exactly.",
	.syntax = { groups, view_args, sizeof(struct view_values) },
	.table = &system_table,
	.examples = { { "Did the recording lose anything?", "stagetrace system run" },
		      { "All facts, for a script", "stagetrace system run --format json" } },
	.run = run_system,
};
