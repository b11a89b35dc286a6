#include "report/account.h"

#include <stdlib.h>

#include "analysis/cpu_account.h"
#include "platform/program.h"
#include "replay/cpu_counter.h"
#include "replay/frame_names.h"
#include "util/alloc.h"
#include "util/array.h"

struct cpu_state {
	struct cpu_account *account;
	struct cpu_counter *counter; /* NULL: all is counted */
	struct cpu_entry total;
	int64_t completed_ns; /* of samples whose stacks were completed */
	int64_t to_ns;
	bool sampled;               /* the trace has CPU samples */
	bool exact;                 /* context switches are counted */
	bool wakeups;               /* with waits */
	const char *switch_refusal; /* why they are not; NULL */
};

static void *cpu_begin(struct results *results, struct replay *replay)
{
	const struct process_filter *filter = results->request.filter;
	struct cpu_state *state = xcalloc(1, sizeof(*state));

	state->account = cpu_account_new(&replay->machine, results->grouping, filter->from_ns,
					 filter->to_ns, replay_facts(replay)->stacks_apart);
	if (results->request.samples)
		cpu_account_keep_samples(state->account);
	/* With known stacks counting is so little that a second thread pays if it does not read the trace already. */
	state->counter = cpu_counter_new(
		state->account,
		replay->machine.known_stacks.v && !replay->kept ? 1 : replay->threads);
	state->to_ns = filter->to_ns;
	state->sampled = replay_facts(replay)->cpu_event;
	state->exact = replay->switches && !grouping_by_stacks(results->grouping);
	if (!grouping_by_stacks(results->grouping))
		state->switch_refusal = replay_facts(replay)->switch_refusal;
	state->wakeups = state->exact && replay_facts(replay)->has_wakeups;
	return state;
}

static bool cpu_take(void *data, const struct trace_event *event)
{
	const struct cpu_state *state = data;

	cpu_counter_apply(state->counter, event);
	/* A run that ends after the range began in it, perhaps. */
	return event->time_ns < state->to_ns || state->exact ||
	       cpu_account_needs_all(state->account);
}

static void finish_counter(struct cpu_state *state)
{
	if (state->counter)
		cpu_counter_free(state->counter);
	state->counter = NULL;
}

static void cpu_free(void *data)
{
	struct cpu_state *state = data;

	if (!state)
		return;
	finish_counter(state);
	cpu_account_free(state->account);
	free(state);
}

/* Context switches are CPU time too. */
static int refuse(const struct cpu_state *state, const struct trace_facts *facts, struct err *err)
{
	if (state->sampled || state->exact)
		return 0;
	/* A trace from a pipe without data has no reason. */
	err_set(err, ERR_UNSUPPORTED, "%s",
		facts->cpu_refusal ? facts->cpu_refusal : "it has no events");
	if (facts->switch_refusal) {
		err_append(err, "; ");
		err_append(err, facts->switch_refusal);
	} else if (facts->has_switches) {
		err_append(err, "; it has context switches, whose exact times are shown by "
				"process, thread, role, part and crate");
	}
	return -1;
}

/* The samples by the ends of their stacks. */
static void add_stacks(const struct cpu_state *state, const struct replay *replay,
		       struct stack_quality *quality)
{
	struct stack_end *ends = stack_ends_of_all(&replay->machine);

	cpu_account_add_stacks(state->account, ends, quality);
	free(ends);
}

static bool breaks(void *data, uint32_t root)
{
	struct replay *replay = data;

	return stack_chain_end(&replay->machine, &replay->functions, root) == CHAIN_BROKEN;
}

/* A second thread looks up functions, while this one uses those that are known, unless stacks need no names. */
static void use_functions(struct cpu_state *state, struct replay *replay,
			  struct frame_functions *functions, bool named)
{
	size_t known;

	if (named)
		cpu_account_finish_early(state->account, 0);
	do {
		known = frame_functions_next(functions);
		if (named)
			cpu_account_finish_early(state->account, known);
	} while (known < replay->machine.stacks.frames_nr);
	frame_functions_free(functions);
}

static void set_counts(struct results *results, struct cpu_state *state, struct replay *replay)
{
	if (results->request.counts != COUNTS_OF_KEYS) {
		results->tallies = cpu_account_tallies(state->account, &results->tallies_nr);
		results->counted = &replay->machine.stacks;
		return;
	}
	if (results->request.samples)
		cpu_account_give_samples(state->account, results->request.samples);
	else
		results->entries = cpu_account_finish(state->account, &results->nr);
	cpu_account_trim(state->account);
}

static int cpu_finish(struct results *results, struct replay *replay, struct err *err)
{
	struct cpu_state *state = results->state;
	bool by_stacks = grouping_by_stacks(results->grouping);
	bool filters = grouping_filters_stacks(results->grouping);
	/* Of modules alone the names are known. */
	bool needs_names = by_stacks && (filters || !grouping_only(results->grouping) ||
					 !results_are_by(results, BY_MODULE));
	bool named = results->request.counts != COUNTS_OF_STACKS;
	struct stack_quality quality = { .nr = 0 };
	struct frame_functions *functions = NULL;

	finish_counter(state);
	if (refuse(state, replay_facts(replay), err))
		return -1;
	cpu_account_keep_counted(state->account);
	memory_trim();
	if (needs_names) {
		replay_open_files(replay);
		frame_lines_find(replay);
	}
	/* Of a recording that completes them. */
	if (replay_facts(replay)->stacks_apart)
		cpu_account_mark_truncated(state->account, breaks, replay);
	stack_table_trim(&replay->machine.stacks);
	if (needs_names)
		functions = frame_functions_new(replay);
	if (functions && filters)
		use_functions(state, replay, functions, named);
	cpu_account_filter(state->account);
	if (by_stacks)
		add_stacks(state, replay, &quality);
	if (functions && !filters)
		use_functions(state, replay, functions, named);
	if (by_stacks) {
		stack_quality_evaluate(&quality, &replay->machine, &replay->functions,
				       &results->stacks);
		results->stacks.none = replay_facts(replay)->caller_refusal;
	}
	stack_quality_release(&quality);
	state->completed_ns = cpu_account_completed_ns(state->account);
	results->gap_ns = cpu_account_gap_ns(state->account);
	set_counts(results, state, replay);
	state->total = cpu_account_total(state->account);
	results->total = &state->total;
	return 0;
}

double results_gap_percent(const struct results *results)
{
	const struct cpu_entry *total = results->account->cpu ? results->total : NULL;

	return total && total->self_ns ? 100.0 * (double)results->gap_ns / (double)total->self_ns
				       : 0;
}

static bool cpu_has_value(const void *data)
{
	const struct cpu_entry *entry = data;

	return entry->samples || entry->self_ns || entry->total_ns;
}

static int64_t cpu_rank(const void *entry)
{
	return ((const struct cpu_entry *)entry)->total_ns;
}

static const struct cpu_state *exact_state(const struct results *results)
{
	const struct cpu_state *state = results->state;

	return state && state->exact ? state : NULL;
}

/* A process that ran between two samples has exact times alone. */
static bool cpu_has_more(const struct results *results, uint32_t key)
{
	const struct cpu_state *state = exact_state(results);
	struct cpu_exact exact;

	if (!state)
		return false;
	exact = cpu_account_exact(state->account, key);
	return exact.run_ns || exact.ready_ns || exact.blocked_ns;
}

static void cpu_explain(const struct results *results, struct strbuf *notes)
{
	const struct cpu_state *state = results->state;
	struct cpu_exact gaps;

	if (state && state->switch_refusal)
		strbuf_addf(notes, "exact CPU time is not shown: %s\n", state->switch_refusal);
	state = exact_state(results);
	if (!state)
		return;
	gaps = cpu_account_exact_gaps(state->account);
	cpu_exact_explain(&gaps, notes);
}

/* The state, if the trace has exact times alone. */
static const struct cpu_state *only_exact(const struct results *results)
{
	const struct cpu_state *state = exact_state(results);

	return state && !state->sampled ? state : NULL;
}

static bool cpu_is_empty(const struct results *results)
{
	const struct cpu_state *state = only_exact(results);

	return state ? !cpu_account_exact_total(state->account).run_ns
		     : !((const struct cpu_entry *)results->total)->samples;
}

static void add_exact(const struct results *results, struct head *head)
{
	const struct cpu_state *state = exact_state(results);
	struct cpu_exact total, gaps;

	if (!state)
		return;
	total = cpu_account_exact_total(state->account);
	gaps = cpu_account_exact_gaps(state->account);
	head_label(head, "exact");
	head_number(head, "exact_cpu_ns", COLUMN_DURATION, total.run_ns);
	head_words(head, " by ");
	head_number(head, "switches", COLUMN_INT, total.switches);
	head_words(head, total.switches == 1 ? " context switch" : " context switches");
	if (gaps.run_ns > 0) {
		head_words(head, "; who ran for ");
		head_number(head, "exact_gaps_ns", COLUMN_DURATION, gaps.run_ns);
		head_words(head, " is not known, as switches are missing");
	}
	head_words(head, "\n");
}

static void cpu_add_head(const struct results *results, const struct trace_facts *facts,
			 bool filtered, struct head *head)
{
	const struct cpu_entry *total = results->total;
	const struct cpu_state *state = results->state;

	if (only_exact(results)) {
		add_exact(results, head);
		return;
	}
	head_label(head, "cpu");
	head_number(head, "cpu_ns", COLUMN_DURATION, total->self_ns);
	head_words(head, " in ");
	head_number(head, "samples", COLUMN_INT, total->samples);
	head_words(head, total->samples == 1 ? " sample" : " samples");
	if (facts->cpu_event)
		head_words(head, " of ");
	head_text(head, "cpu_event", facts->cpu_event);
	head_words(head, filtered ? ", of the selection\n" : "\n");
	if (state && state->completed_ns > 0) {
		head_label(head, "");
		head_percent(head, 100.0 * (double)state->completed_ns / (double)total->self_ns);
		head_words(head, " of it has callers from stack copies (docs/stacks.md)\n");
		head_keep_number(head, "completed_ns", state->completed_ns);
	}
	add_exact(results, head);
	if (!facts->cpu_note)
		return;
	head_label(head, "");
	head_text(head, "cpu_note", facts->cpu_note);
	head_words(head, "\n");
}

static void get_samples(const void *data, struct cell *cell)
{
	const struct result_row *row = data;

	if (!only_exact(row->results))
		cell_set_number(cell, ((const struct cpu_entry *)row->entry)->samples);
}

/* Without samples the exact time, which no stacks divide. */
static int64_t self_of(const struct result_row *row)
{
	const struct cpu_state *state = only_exact(row->results);

	return state ? cpu_account_exact(state->account, row->key).run_ns
		     : ((const struct cpu_entry *)row->entry)->self_ns;
}

static void get_self(const void *row, struct cell *cell)
{
	cell_set_number(cell, self_of(row));
}

static void get_total(const void *data, struct cell *cell)
{
	const struct result_row *row = data;

	cell_set_number(cell, only_exact(row->results)
				      ? self_of(row)
				      : ((const struct cpu_entry *)row->entry)->total_ns);
}

static void get_percent(const void *data, struct cell *cell)
{
	const struct result_row *row = data;
	const struct cpu_state *state = only_exact(row->results);
	int64_t all = state ? cpu_account_exact_total(state->account).run_ns
			    : ((const struct cpu_entry *)row->results->total)->self_ns;

	cell_set_percent(cell, all ? 100.0 * (double)self_of(row) / (double)all : 0);
}

/* Define the getter of an exact number of a row, unknown unless `needs` is true. */
#define EXACT(name, needs, value) \
	static void get_##name(const void *data, struct cell *cell) \
	{ \
		const struct result_row *row = data; \
		const struct cpu_state *state = exact_state(row->results); \
		struct cpu_exact exact; \
\
		if (!state || !(needs)) \
			return; \
		exact = cpu_account_exact(state->account, row->key); \
		cell_set_number(cell, value); \
	}

EXACT(exact, true, exact.run_ns)
EXACT(wait_cpu, state->wakeups, exact.ready_ns)
EXACT(wait_blocked, state->wakeups, exact.blocked_ns)
EXACT(switches, true, exact.switches)

enum { SAMPLES, SELF, TOTAL, PERCENT, EXACT_CPU, WAIT_CPU, WAIT_BLOCKED, SWITCHES };

static const struct column columns[] = {
	[SAMPLES] = { "samples", "SAMPLES", "samples of the row itself", COLUMN_INT,
		      SHOW_DATA | SHOW_IF_KNOWN | SHOW_ABOVE_NOTHING, false, get_samples, NULL },
	[SELF] = { "self_ns", "SELF",
		   "CPU time of the row itself; of a trace without samples the exact time",
		   COLUMN_DURATION, SHOW_DATA, false, get_self, NULL },
	[TOTAL] = { "total_ns", "TOTAL", "CPU time of all stacks that contain the row",
		    COLUMN_DURATION, SHOW_DATA, false, get_total, NULL },
	[PERCENT] = { "percent", "PERCENT",
		      "self as a share of all CPU time that matches the filters; of a trace "
		      "without "
		      "samples the exact time",
		      COLUMN_PERCENT, SHOW_DATA, false, get_percent, NULL },
	[EXACT_CPU] = { "exact_cpu_ns", "EXACT CPU",
			"CPU time by context switches; not by module, function, stack, phase, "
			"query",
			COLUMN_DURATION, SHOW_IF_KNOWN, false, get_exact, NULL },
	[WAIT_CPU] = { "wait_cpu_ns", "WAIT CPU",
		       "time that threads were ready to run while others had the processors",
		       COLUMN_DURATION, SHOW_IF_KNOWN, false, get_wait_cpu, NULL },
	[WAIT_BLOCKED] = { "wait_blocked_ns", "BLOCKED",
			   "time that threads were blocked, until they were woken", COLUMN_DURATION,
			   SHOW_IF_KNOWN, false, get_wait_blocked, NULL },
	[SWITCHES] = { "switches", "SWITCHES", "context switches to threads", COLUMN_INT,
		       SHOW_IF_KNOWN, false, get_switches, NULL },
};

static const struct metric metrics[] = {
	{ .name = "cpu", .title = "CPU time", .help = "CPU time", .column = &columns[SELF] },
	{ .name = NULL },
};

/* A process or a set of processes has a total equal to its self. */
#define VALUES "percent,self_ns,exact_cpu_ns,wait_cpu_ns,wait_blocked_ns,samples"
#define TOTALS "percent,self_ns,total_ns"

const struct account account_cpu = {
	.cpu = true,
	.switches = true,
	.what = "CPU time",
	.nothing = "no CPU time matches the request",
	.entry_size = sizeof(struct cpu_entry),
	.table = { .columns = columns,
		   .columns_nr = ARRAY_SIZE(columns),
		   .keys = key_columns_cpu },
	.text = {
		.columns = {
			[BY_PROCESS] = VALUES,
			[BY_ROLE] = VALUES,
			[BY_PART] = VALUES,
			[BY_CRATE] = VALUES,
			[BY_MODULE] = TOTALS ",samples",
			[BY_FUNCTION] = TOTALS,
			[BY_THREAD] = VALUES,
			[BY_PHASE] = "percent,self_ns,samples",
			[BY_QUERY] = TOTALS ",samples",
			[BY_STACK] = TOTALS,
			[BY_CALLS] = TOTALS,
		},
		.sort = "self_ns",
	},
	.metrics = metrics,
	.begin = cpu_begin,
	.take = cpu_take,
	.finish = cpu_finish,
	.free = cpu_free,
	.has_value = cpu_has_value,
	.has_more = cpu_has_more,
	.rank = cpu_rank,
	.is_empty = cpu_is_empty,
	.explain = cpu_explain,
	.add_head = cpu_add_head,
};
