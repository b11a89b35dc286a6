#include "cli/command.h"
#include "cli/view_calls.h"
#include "cli/view_fit.h"

struct memory_values {
	struct results_values results; /* must be first */
	struct fit_values fit;
};

static const char *key_name(size_t i)
{
	return account_key_name(&account_memory, i);
}

static bool keys_pair(size_t i, size_t other)
{
	return account_keys_pair(&account_memory, i, other);
}

static const struct opt_choices keys = { .name = key_name, .pairs = keys_pair };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_PAIR, "KEY[,KEY]",
	  "what a row is: process (the default), role, part, crate, module, function, "
	  "thread (that asked for it), phase (of rustc, by stack tags), query (of rustc), stack, "
	  "lifetime (how long memory "
	  "was held), heap (with --of heap), calls (a call tree), region (a range, with the times "
	  "of its commit and its "
	  "end); or two of them, as crate,phase",
	  offsetof(struct results_values, by), &keys },
	{ 0, "of", OPT_CHOICE, "KIND",
	  "commit (the default): what was asked for; touched: pages that were written, whatever "
	  "the "
	  "allocator, an estimate from one page in 32; heap: blocks of heaps, if heaps of Windows "
	  "were traced",
	  offsetof(struct results_values, of), &memory_kinds },
	{ 0, "at", OPT_STRING, "peak|own-peak|end|TIME",
	  "the moment of outstanding_bytes: the peak of the whole build, the peak of what the "
	  "filters let through, the end of the range (the default), or a time",
	  offsetof(struct results_values, at), OPT_WORDS(moment_words) },
	STACK_TAGS_OPTION,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	RESULTS_NAME_GROUP,
	VIEW_FILTER_GROUP,
	RESULTS_FILTER_GROUP,
	CALLS_GROUP,
	{ "Another number of jobs", fit_options, offsetof(struct memory_values, fit) },
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

static int run_memory(const void *values, struct err *err)
{
	const struct memory_values *memory = values;
	const struct results_values *results = &memory->results;

	if (fit_is_wanted(&memory->fit))
		return fit_run(results, &memory->fit, err);
	return calls_or_results_run(memory_kind_account(results->of), values, err);
}

const struct command memory_command = {
	.name = "memory",
	.summary = "show who held the memory: by process, crate, function, stack, ...",
	.details = "Memory is what a process may use and the system must back: private, anonymous, "
		   "writable pages. It is held (outstanding) from its commit until it is freed. "
		   "Rows are sorted by what they held at the peak of the whole build, with --at by "
		   "what they held at that moment. A function or module is that of the innermost "
		   "frame outside the allocator.",
	.syntax = { groups, view_args, sizeof(struct memory_values) },
	.table = &account_touched.table, /* it has all columns of the other too */
	.examples = { { "Which crates held the memory when the build held most?",
			"stagetrace memory run --by crate --at peak" },
		      { "Which functions asked for the memory of one crate?",
			"stagetrace memory run --by function --at peak --crate rustc_middle" },
		      { "What did a crate hold when it held most?",
			"stagetrace memory run --by calls --at own-peak --crate rustc_middle" },
		      { "Which large pieces were held at the peak, from when to when?",
			"stagetrace memory run --by region --at peak --top 20" },
		      { "Which -j keeps the build below the memory of a machine?",
			"stagetrace memory run --fit 16GiB" } },
	.run = run_memory,
};
