#include "cli/command.h"
#include "cli/view_calls.h"

static const char *key_name(size_t i)
{
	return account_key_name(&account_cpu, i);
}

static bool keys_pair(size_t i, size_t other)
{
	return account_keys_pair(&account_cpu, i, other);
}

static const struct opt_choices keys = { .name = key_name, .pairs = keys_pair };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_PAIR, "KEY[,KEY]",
	  "what a row is: process (the default), role, part, crate, module, function, thread, "
	  "phase (of rustc, by stack tags), query (of rustc), stack, calls (a call tree); or two "
	  "of "
	  "them, as crate,phase",
	  offsetof(struct results_values, by), &keys },
	STACK_TAGS_OPTION,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	RESULTS_NAME_GROUP,
	VIEW_FILTER_GROUP,
	RESULTS_FILTER_GROUP,
	CALLS_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

static int run_cpu(const void *values, struct err *err)
{
	return calls_or_results_run(&account_cpu, values, err);
}

const struct command cpu_command = {
	.name = "cpu",
	.summary = "show who took the time: by process, crate, function, thread, stack, ...",
	.details = "Self is the time of a row itself, total that of all stacks that contain it. "
		   "Both are "
		   "sums of samples, each of which stands for the time since the previous one.",
	.syntax = { groups, view_args, sizeof(struct results_values) },
	.table = &account_cpu.table,
	.examples = { { "Which crates took the time?", "stagetrace cpu run --by crate --top 10" },
		      { "Which functions took the time of one crate?",
			"stagetrace cpu run --by function --crate rustc_middle --role rustc" },
		      { "What was the compiler doing?", "stagetrace cpu run --by phase" },
		      { "Who calls a function, and what does it cost?",
			"stagetrace cpu run --by calls --inverted --focus parse_expr" } },
	.run = run_cpu,
};
