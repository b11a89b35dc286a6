#include "cli/view_processes.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/view_trace.h"
#include "replay/books.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

/* The columns that only the trace fills. */
static const char *const trace_columns[] = { "size_bytes", "peak_bytes", "at_peak_bytes" };

static bool asks_for_trace(const struct view_run *run, const struct table *table,
			   const struct table_options *options)
{
	if (!run->source)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(trace_columns); i++) {
		if (table_uses(table, options, trace_columns[i]))
			return view_trace_there(run);
	}
	return false;
}

/* Where in the list a row stands, plus one. */
static void index_rows(const struct process_list *list, struct intmap *places)
{
	for (size_t i = 0; i < list->nr; i++)
		intmap_put(places, (int64_t)(intptr_t)list->v[i], (void *)(i + 1));
}

static void take_memory(struct view_run *run, const struct memory_books *books)
{
	struct intmap places = INTMAP_INIT;

	index_rows(&run->processes, &places);
	for (size_t i = 0; i < run->processes.nr; i++)
		run->memory[i] = (struct process_memory){ 0, 0, 0 };
	for (uint32_t key = 0; key < books->ledger.keys_nr; key++) {
		const struct group *group = grouping_get(books->grouping, key);
		const struct ledger_entry *entry = &books->ledger.keys[key];
		size_t place = (size_t)intmap_get(&places, (int64_t)(intptr_t)group->process);
		struct process_memory *memory;

		if (!place)
			continue;
		/* One row may have several lives in the trace: its peaks are not at one moment. */
		memory = &run->memory[place - 1];
		memory->size_bytes = wrap_add(memory->size_bytes, entry->size);
		memory->at_peak_bytes = wrap_add(memory->at_peak_bytes, entry->at_peak);
		if (entry->peak > memory->peak_bytes)
			memory->peak_bytes = entry->peak;
	}
	intmap_release(&places);
}

/* What a view takes out of one play of the trace. */
struct processes_play {
	struct view_run *run;
	struct memory_books books;
	bool cpu; /* the samples are summed: of a bare trace */
	bool memory; /* the books take what comes: they are open, and their range of time is not over */
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

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct processes_play *play = data;

	if (play->memory)
		play->memory = memory_books_take(&play->books, event);
	if (play->cpu && event->kind == TRACE_CPU)
		add_sample(play->run, replay, event);
	return play->memory || play->cpu;
}

/* Memory that the trace can't tell of is no failure. */
static void finish_memory(struct processes_play *play, const struct replay *replay)
{
	struct view_run *run = play->run;
	struct err err = ERR_INIT;

	run->memory = xcalloc(run->processes.nr, sizeof(*run->memory));
	for (size_t i = 0; i < run->processes.nr; i++)
		run->memory[i] = (struct process_memory)PROCESS_MEMORY_INIT;
	if (!memory_books_finish(&play->books, replay, &err)) {
		take_memory(run, &play->books);
		return;
	}
	message_print("note: ", err.msg);
	err_clear(&err);
}

/*
 * Memory is that of the range, of all processes, whatever the filter by name: they are few, and the peak is of all
 * of them anyway. CPU time is that of all the trace.
 */
static int play_trace(struct view_run *run, struct replay *replay,
		      const struct process_filter *filter, struct err *err)
{
	struct process_filter range = PROCESS_FILTER_INIT;
	struct books_request request = { BY_PROCESS, &range, LEDGER_AT_END, ROOT_NONE };
	struct processes_play play = { .run = run, .cpu = !run->source };
	int rc = 0;

	range.from_ns = filter->from_ns;
	range.to_ns = filter->to_ns;
	play.memory = memory_books_begin(&play.books, replay, &request);
	if (play.memory || play.cpu)
		rc = replay_play(replay, take, &play, err);
	/* What was played is asked no more. */
	if (!run->source)
		process_list_sort(&run->processes);
	if (!rc)
		finish_memory(&play, replay);
	memory_books_release(&play.books);
	return rc;
}

int view_processes_play(struct view_run *run, const struct table *table,
			const struct table_options *options, const struct process_filter *filter,
			struct err *err)
{
	struct view_trace_options trace = { .cpu = !run->source, .memory = true };
	struct strbuf notes = STRBUF_INIT;
	struct replay replay;
	int rc;

	if (!asks_for_trace(run, table, options))
		return 0;
	rc = view_trace_open_beside(run, &trace, &replay, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	rc = play_trace(run, &replay, filter, err);
	replay_explain(&replay, &notes);
	message_print("warning: ", notes.buf);
	strbuf_release(&notes);
	replay_close(&replay);
	return rc;
}
