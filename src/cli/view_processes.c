#include "cli/view_processes.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/process_exact.h"
#include "cli/command.h"
#include "cli/message.h"
#include "report/account.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"
#include "util/wrap.h"

/* Compilers with malloc have up to 340 MB more resident than committed: pages of libraries and of metadata. */
#define FAR_ABOVE (INT64_C(512) << 20)
/* Where the build has heaps that do not count as committed, less is enough. */
#define FAR_ABOVE_HEAP (INT64_C(50) << 20)

/* Whether the system has counted how long threads waited for processors. */
static bool has_waits(const struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i]->waits.cpu_ns != PROCESS_UNKNOWN)
			return true;
	}
	return false;
}

/* Whether numbers of context switches are shown. */
static bool needs_switches(const struct view_run *run, const struct table *table,
			   const struct table_options *options)
{
	static const char *const keys[] = { "exact_cpu_ns", "wait_blocked_ns", "switches" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (table_uses(table, options, keys[i]))
			return true;
	}
	return table_uses(table, options, "wait_cpu_ns") && !has_waits(&run->processes);
}

static bool needs_trace(const struct view_run *run, const struct table *table,
			const struct table_options *options, bool head)
{
	const struct table *memory = &account_memory.table;

	if (!run->source)
		return true;
	if (head)
		return view_run_has_trace(run);
	for (size_t i = 0; i < memory->columns_nr; i++) {
		if (table_uses(table, options, memory->columns[i].key))
			return view_run_has_trace(run);
	}
	return needs_switches(run, table, options) && view_run_has_trace(run);
}

static void set_memory(struct view_run *run, const struct results *results)
{
	struct intmap places = process_list_places(&run->processes);

	run->memory = xcalloc(run->processes.nr, sizeof(*run->memory));
	for (uint32_t key = 0; key < results->nr; key++) {
		const struct group *group = grouping_part(results->grouping, key, BY_PROCESS);
		size_t place = process_list_place(&places, group->process);

		/* A row may be several processes of the trace. */
		if (place != PROCESS_NO_PLACE)
			ledger_entry_join(&run->memory[place], results_entry(results, key));
	}
	intmap_release(&places);
}

/* Data that is collected while the trace is played. */
struct processes_play {
	struct view_run *run;
	struct results results;
	bool cpu;      /* sum up CPU samples: of a bare trace */
	bool memory;   /* count memory: the trace has it, and the time range is not over */
	bool switches; /* count context switches: the trace has them */
	struct process_exact exact; /* of these */
};

static void add_sample(const struct view_run *run, struct replay *replay,
		       const struct trace_event *event)
{
	const struct trace_process *process =
		machine_process(&replay->machine, event->pid, event->time_ns);
	struct process *row;

	if (!process)
		return;
	row = run->processes.v[process->row];
	row->cpu_ns = wrap_add(row->cpu_ns == PROCESS_UNKNOWN ? 0 : row->cpu_ns,
			       event->cpu_sample.weight_ns);
}

/* Where CPU time is sampled, a process without a sample had none. */
static void set_idle(struct process_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i]->cpu_ns == PROCESS_UNKNOWN)
			list->v[i]->cpu_ns = 0;
	}
}

static void finish_switches(struct processes_play *play, const struct trace_facts *facts)
{
	struct strbuf notes = STRBUF_INIT;

	play->run->exact = process_exact_take(&play->exact, &play->run->processes);
	play->run->waits = facts->has_wakeups;
	cpu_exact_explain(&play->exact.gaps, &notes);
	message_print_buf("note: ", &notes);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct processes_play *play = data;

	if (play->memory)
		play->memory = results_take(&play->results, event);
	if (play->cpu && event->kind == TRACE_CPU && !event->cpu_sample.stack_only)
		add_sample(play->run, replay, event);
	if (play->switches)
		process_exact_add(&play->exact, &replay->machine, event);
	return play->memory || play->cpu || play->switches;
}

/* A trace without memory events is not a failure: false. */
static bool finish_memory(struct processes_play *play, struct replay *replay)
{
	struct view_run *run = play->run;
	struct err err = ERR_INIT;

	if (!results_finish(&play->results, replay, &err)) {
		set_memory(run, &play->results);
		run->hidden_heap = results_hide_a_heap(&play->results);
		return true;
	}
	err_wrap(&err, "cannot count memory");
	message_print("note: ", err.msg);
	err_clear(&err);
	return false;
}

static void make_head(const struct view_run *run, const struct trace_facts *facts,
		      const struct results *results, const struct process_filter *filter,
		      struct head *head)
{
	struct view_head view = view_run_head(run, facts, filter->from_ns, filter->to_ns);

	view.results = results;
	view_head_begin(&view, head);
	view_head_end(&view, head);
}

/*
 * Memory is counted in the time range, for all processes, whatever the other filters: they are few, and the peak needs all
 * of them. CPU time and waits are those of the whole trace.
 */
static int play_trace(struct view_run *run, struct replay *replay,
		      const struct process_filter *filter, struct head *head, struct err *err)
{
	struct process_filter range = PROCESS_FILTER_INIT;
	const struct account_request request = { .by = { BY_PROCESS },
						 .filter = &range,
						 .at_ns = LEDGER_AT_END };
	struct processes_play play = { .run = run,
				       .cpu = !run->source,
				       .switches = replay->switches,
				       .exact = PROCESS_EXACT_INIT };
	bool counted;
	int rc = 0;

	range.from_ns = filter->from_ns;
	range.to_ns = filter->to_ns;
	results_begin(&play.results, &account_memory, replay, &request);
	play.memory = play.results.state;
	if (play.memory || play.cpu || play.switches)
		rc = replay_play(replay, take, &play, err);
	if (play.cpu && replay_facts(replay)->cpu_event)
		set_idle(&run->processes);
	if (play.switches)
		finish_switches(&play, replay_facts(replay));
	/* The old order is not needed any more. */
	if (!run->source)
		process_exact_sort(run->exact, &run->processes);
	counted = !rc && finish_memory(&play, replay);
	if (!rc && head)
		make_head(run, replay_facts(replay), counted ? &play.results : NULL, &range, head);
	results_release(&play.results);
	return rc;
}

/* Other processes than those of process events may be known by their samples or images. */
static void explain_processes(const struct view_run *run, const struct trace_facts *facts)
{
	if (run->source)
		return;
	if (facts->process_refusal)
		message_printf("note: ", "cannot list %s of '%s': %s",
			       run->processes.nr ? "all processes" : "the processes", run->path,
			       facts->process_refusal);
	else if (!run->processes.nr)
		message_printf("note: ", "'%s' has no processes", run->path);
}

int view_processes_play(struct view_run *run, const struct table *table,
			const struct table_options *options, const struct process_filter *filter,
			struct head *head, struct err *err)
{
	struct view_trace_options trace = { .replay = { .cpu = !run->source,
							.memory = true,
							.no_stacks = true,
							.switches = needs_switches(run, table,
										   options) } };
	struct replay replay;
	int rc;

	rc = needs_trace(run, table, options, head)
		     ? view_trace_open_optional(run, &trace, &replay, err)
		     : 1;
	if (rc > 0 && head)
		make_head(run, NULL, NULL, filter, head);
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = play_trace(run, &replay, filter, head, err);
	if (!rc)
		explain_processes(run, replay_facts(&replay));
	if (!rc)
		view_note_tags(run, replay_facts(&replay), filter, false);
	view_trace_warn(&replay);
	replay_close(&replay);
	return rc;
}

static bool *match_processes(const struct view_run *run, const struct process_filter *filter)
{
	bool *matched = xcalloc(run->processes.nr, sizeof(*matched));
	struct strbuf notes = STRBUF_INIT;

	for (size_t i = 0; i < run->processes.nr; i++)
		matched[i] = process_filter_match(filter, run->processes.v[i]);
	process_filter_explain(filter, &run->processes, &notes);
	message_print_buf("note: ", &notes);
	return matched;
}

/* How much more of a process was resident than committed, if it is far more; else 0. */
static int64_t far_above(const struct process *process, const struct ledger_entry *memory,
			 bool hidden_heap)
{
	int64_t least = hidden_heap && process->tag.role == ROLE_RUSTC ? FAR_ABOVE_HEAP : FAR_ABOVE;
	int64_t rss = process->peak_rss_bytes, more = wrap_subtract(rss, memory->peak);

	return rss != PROCESS_UNKNOWN && more > least && more > memory->peak ? more : 0;
}

/* Who compares the two columns is not to believe that the one shows all that the other does. */
static void explain_resident(const struct view_run *run, const bool *matched)
{
	struct strbuf rss = STRBUF_INIT, peak = STRBUF_INIT;
	int64_t most = 0;
	size_t nr = 0, worst = 0;

	for (size_t i = 0; i < run->processes.nr; i++) {
		int64_t more = matched[i] ? far_above(run->processes.v[i], &run->memory[i],
						      run->hidden_heap)
					  : 0;

		nr += more > 0;
		if (more > most) {
			most = more;
			worst = i;
		}
	}
	if (!nr)
		return;
	text_add_bytes(&rss, run->processes.v[worst]->peak_rss_bytes);
	text_add_bytes(&peak, run->memory[worst].peak);
	message_printf("note: ",
		       "%zu process%s had far more memory resident than committed; %spid %lld "
		       "had %s resident and %s committed: pages of files are resident too, and "
		       "what jemalloc maps does not "
		       "count as committed; see `memory --of touched` (docs/memory.md)",
		       nr, nr == 1 ? "" : "es", nr == 1 ? "" : "most of all ",
		       (long long)run->processes.v[worst]->pid, rss.buf, peak.buf);
	strbuf_release(&rss);
	strbuf_release(&peak);
}

int view_processes_print(const struct view_values *values, const struct table *table,
			 view_print_fn *print, struct err *err)
{
	struct process_filter filter;
	struct table_options options;
	struct head head = HEAD_INIT;
	struct view_run run;
	bool *matched;
	int ret = -1;

	if (view_get_filter(values, &filter, err) ||
	    view_get_table_options(values, table, &options, err) ||
	    view_run_open(&values->traces, VIEW_NO_STACKS, &run, err))
		goto out;
	if (view_processes_play(&run, table, &options, &filter, values->head ? &head : NULL, err)) {
		view_run_close(&run);
		goto out;
	}
	options.head = values->head ? &head : NULL;
	matched = match_processes(&run, &filter);
	/* Resident memory is known for the whole time alone. */
	if (run.memory && !values->time && table_uses(table, &options, "peak_rss_bytes") &&
	    table_uses(table, &options, "peak_bytes"))
		explain_resident(&run, matched);
	if (!print(&(struct processes_view){ values, &filter, &run, matched, &options }, err))
		ret = EXIT_CODE_DONE;
	free(matched);
	view_run_close(&run);
out:
	head_release(&head);
	process_filter_release(&filter);
	return ret;
}

int view_processes_print_rows(const struct processes_view *view, struct process_rows *rows,
			      const struct table *table, const struct table_options *options,
			      struct err *err)
{
	int ret;

	for (size_t i = 0; i < rows->nr; i++)
		rows->v[i].whole_command = !options->width;
	ret = view_print_table(view->values, table, options, rows->pointers, rows->nr, err);
	process_rows_release(rows);
	return ret;
}
