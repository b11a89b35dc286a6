#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "report/account.h"
#include "report/timeline_view.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/wrap.h"

/* Points without --every: about so many. */
#define POINTS      500
#define POINTS_TEXT 40

/* More are refused: some hundred bytes each. */
#define POINTS_MAX 1000000

struct timeline_values {
	struct view_values view; /* must be first, as in every view */
	const char *every;
	int of;
};

static const struct opt option_rows[] = {
	{ 0, "every", OPT_STRING, "STEP",
	  "length of a step, as in 500ms or 10s; by default the range has some 500 steps, in text "
	  "some 40",
	  offsetof(struct timeline_values, every), NULL },
	{ 0, "of", OPT_CHOICE, "KIND",
	  "the memory: commit (the default), what was asked for, or touched, what was written",
	  offsetof(struct timeline_values, of), OPT_WORDS(memory_kind_names) },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	VIEW_FILTER_GROUP,
	VIEW_OUTPUT_GROUP,
	OPT_GROUP_END,
};

struct timeline_view {
	const struct timeline_values *values;
	struct process_filter filter;
	struct view_run run;
	struct replay replay;
	struct grouping *grouping;
	struct timeline *timeline;
	int64_t from_ns, end_ns, step_ns;
	size_t nr;
};

/* The end of the recording: of a bare trace its last event, else that of stage 2 or of the last process. */
static int64_t known_end(const struct view_run *run)
{
	int64_t end_ns = run->source ? run->manifest.stage2_end_ns : -1;

	if (run->trace_end_ns > end_ns)
		end_ns = run->trace_end_ns + 1;
	for (size_t i = 0; i < run->processes.nr; i++) {
		const struct process *process = run->processes.v[i];

		if (process->end_ns != PROCESS_UNKNOWN && process->end_ns > end_ns)
			end_ns = process->end_ns;
	}
	return end_ns;
}

/* 1, 2 or 5 of a power of ten, at least `ns`. */
static int64_t round_step(int64_t ns)
{
	int64_t step = 1000;

	for (;; step *= 10) {
		if (ns <= step)
			return step;
		if (ns <= 2 * step)
			return 2 * step;
		if (ns <= 5 * step)
			return 5 * step;
	}
}

static void note_end(int64_t end_ns)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_moment(&sb, end_ns);
	message_printf("note: ", "--time begins after the end of the recording, at %s", sb.buf);
	strbuf_release(&sb);
}

/* No steps: the range begins after the end. */
static int choose_steps(struct timeline_view *view, bool text, struct err *err)
{
	int64_t known_ns = known_end(&view->run), to_ns = view->filter.to_ns, length;

	if (known_ns >= 0 && known_ns < to_ns)
		to_ns = known_ns;
	view->from_ns = view->filter.from_ns > 0 ? view->filter.from_ns : 0;
	if (known_ns >= 0 && view->from_ns >= known_ns && view->from_ns > 0) {
		note_end(known_ns);
		return 0;
	}
	length = to_ns > view->from_ns && to_ns < INT64_MAX ? to_ns - view->from_ns : 1;
	view->end_ns = view->from_ns + length;
	view->step_ns = round_step(length / (text ? POINTS_TEXT : POINTS));
	if (view->values->every &&
	    (!text_parse_duration(view->values->every, NS_PER_S, &view->step_ns) ||
	     view->step_ns <= 0))
		return err_set(err, ERR_USAGE,
			       "--every takes a duration above 0, as in 500ms or 10s, not '%s'",
			       view->values->every);
	if (length / view->step_ns >= POINTS_MAX)
		return err_set(err, ERR_USAGE,
			       "--every %s: those are more than %d steps; a larger one is needed",
			       view->values->every, POINTS_MAX);
	if (view->step_ns > length)
		view->step_ns = length;
	view->nr = (size_t)(length / view->step_ns + (length % view->step_ns != 0));
	return 0;
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	const struct timeline_view *view = data;

	(void)replay;
	return event->time_ns < view->filter.to_ns && timeline_apply(view->timeline, event);
}

static int open_trace(struct timeline_view *view, struct err *err)
{
	const struct account *account = memory_kind_account(view->values->of);
	const struct view_trace_options options = {
		.replay = { .cpu = true, .memory = true, .touched = account->touched },
		.tags = true,
		/* Where nothing else says when the recording ended. */
		.processes = !view->run.source || view->run.manifest.stage2_end_ns <= 0,
	};

	return view_trace_open(&view->run, &options, &view->replay, err);
}

/* What of the trace cannot be shown is said. */
static enum timeline_memory find_memory(const struct timeline_view *view)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	bool touched = memory_kind_account(view->values->of)->touched;
	const char *refusal = touched ? facts->touched_refusal : facts->memory_refusal;

	if (refusal)
		message_printf("note: ", "no memory is shown: %s", refusal);
	if (refusal)
		return TIMELINE_NO_MEMORY;
	return touched ? TIMELINE_TOUCHED : TIMELINE_COMMITTED;
}

/* Sums over the steps. */
static void add_work(const struct timeline_view *view, const struct timeline_frame *frame,
		     const struct timeline_point *points, const struct concurrency *work,
		     struct head *head)
{
	int64_t cpus = replay_facts(&view->replay)->cpus, cpu_ns = 0, idle_ns = 0, alone_ns = 0;

	for (size_t i = 0; i < view->nr; i++) {
		cpu_ns = wrap_add(cpu_ns, points[i].cpu_ns);
		idle_ns += work[i].none_ns;
		alone_ns += work[i].alone_ns;
	}
	if (frame->processes) {
		head_label(head, "work");
		head_words(head, "no process of the build worked for ");
		head_number(head, "idle_ns", COLUMN_DURATION, idle_ns);
		head_words(head, ", one alone for ");
		head_number(head, "alone_ns", COLUMN_DURATION, alone_ns);
		head_words(head, "\n");
	}
	if (frame->cpu && cpus > 0) {
		head_label(head, "cpu");
		head_number(head, "cpu_ns", COLUMN_DURATION, cpu_ns);
		head_wordsf(head, ", %.0f%% of ",
			    100.0 * (double)cpu_ns /
				    ((double)(view->end_ns - view->from_ns) * (double)cpus));
		head_number(head, "processors", COLUMN_INT, cpus);
		head_words(head, " processors\n");
	}
}

/* The first point with the most memory. */
static void add_most(const struct timeline_view *view, const struct timeline_frame *frame,
		     const struct timeline_point *points, bool filtered, struct head *head)
{
	size_t most = 0;

	for (size_t i = 1; i < view->nr; i++) {
		if (points[i].bytes > points[most].bytes)
			most = i;
	}
	head_label(head, "most");
	head_number(head, "own_peak_bytes", COLUMN_BYTES, frame->most_bytes);
	head_words(head, filtered ? " in the selection\n" : "\n");
	if (frame->most_bytes > 0)
		head_keep_number(head, "own_peak_time_ns", points[most].bytes_ns);
}

static void make_head(const struct timeline_view *view, const struct timeline_frame *frame,
		      const struct timeline_point *points, const struct concurrency *work,
		      struct head *head)
{
	struct view_head facts = view_run_head(&view->run, replay_facts(&view->replay),
					       view->filter.from_ns, view->filter.to_ns);

	facts.last_ns = known_end(&view->run);
	facts.filtered = process_filter_has_names(&view->filter);
	view_head_begin(&facts, head);
	head_label(head, "steps");
	head_words(head, "of ");
	head_moment(head, "step_ns", view->step_ns);
	head_words(head, ": the most memory in each, and processors in use on average\n");
	if (frame->memory)
		add_most(view, frame, points, facts.filtered, head);
	add_work(view, frame, points, work, head);
	view_head_end(&facts, head);
}

/* There are no steps: the trace is not played. */
static int print_nothing(const struct timeline_view *view, struct table_options *options,
			 struct err *err)
{
	const struct view_head facts =
		view_run_head(&view->run, NULL, view->filter.from_ns, view->filter.to_ns);
	struct head head = HEAD_INIT;
	int rc;

	view_head_begin(&facts, &head);
	view_head_end(&facts, &head);
	options->head = view->values->view.head ? &head : NULL;
	rc = view_print_table(&view->values->view, &timeline_table, options, NULL, 0, err);
	head_release(&head);
	return rc;
}

static int print(const struct timeline_view *view, const struct timeline_frame *frame,
		 const struct timeline_point *points, struct table_options *options,
		 struct err *err)
{
	struct concurrency *work = xcalloc(view->nr, sizeof(*work));
	struct timeline_row *rows = xcalloc(view->nr, sizeof(*rows));
	const void **pointers = xcalloc(view->nr, sizeof(*pointers));
	int64_t cpus = replay_facts(&view->replay)->cpus;
	struct head head = HEAD_INIT;
	int rc;

	concurrency_series(&view->run.processes, view->from_ns, view->end_ns, view->step_ns,
			   view->nr, cpus, work);
	for (size_t i = 0; i < view->nr; i++) {
		rows[i] = (struct timeline_row){ frame, &points[i], &work[i] };
		pointers[i] = &rows[i];
	}
	if (options->format == TABLE_TEXT || view->values->view.head) {
		make_head(view, frame, points, work, &head);
		options->head = &head;
	}
	rc = view_print_table(&view->values->view, &timeline_table, options, pointers, view->nr,
			      err);
	head_release(&head);
	free(work);
	free(rows);
	free(pointers);
	return rc;
}

static int play(struct timeline_view *view, struct table_options *options, struct err *err)
{
	const struct grouping_spec spec = { .by = { BY_CRATE }, .processes = &view->filter };
	enum timeline_memory memory = find_memory(view);
	struct timeline_frame frame = { .step_ns = 0 };
	const struct timeline_point *points;
	struct strbuf notes = STRBUF_INIT;
	int rc;

	if (memory == TIMELINE_NO_MEMORY && !replay_facts(&view->replay)->cpu_event &&
	    !view->run.processes.nr)
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot show '%s' over time: it has neither memory events, nor CPU "
			       "samples, nor processes",
			       view->run.path);
	view->grouping = grouping_new(&spec, &view->replay.machine, &view->replay.functions);
	view->timeline = timeline_new(&view->replay.machine, view->grouping, memory, view->from_ns,
				      view->step_ns, view->nr);
	if (view_trace_play(&view->replay, take, view, err))
		return err_wrap(err, "cannot read the trace of '%s'", view->run.path);
	points = timeline_finish(view->timeline);
	frame = (struct timeline_frame){
		.grouping = view->grouping,
		.step_ns = view->step_ns,
		.end_ns = view->end_ns,
		.memory = memory != TIMELINE_NO_MEMORY,
		.cpu = replay_facts(&view->replay)->cpu_event,
		.processes = view->run.processes.nr,
	};
	for (size_t i = 0; i < view->nr; i++) {
		if (points[i].bytes > frame.most_bytes)
			frame.most_bytes = points[i].bytes;
	}
	process_filter_explain(&view->filter, &view->run.processes, &notes);
	message_print_buf("note: ", &notes);
	rc = print(view, &frame, points, options, err);
	return rc;
}

static int show(struct timeline_view *view, struct table_options *options, struct err *err)
{
	int rc;

	if (view_run_open(&view->values->view.traces, VIEW_NO_STACKS, &view->run, err))
		return -1;
	rc = open_trace(view, err);
	if (!rc) {
		rc = choose_steps(view, options->format == TABLE_TEXT, err);
		if (!rc && view->nr)
			rc = play(view, options, err);
		else if (!rc)
			rc = print_nothing(view, options, err);
		timeline_free(view->timeline);
		grouping_free(view->grouping);
		replay_close(&view->replay);
	}
	view_run_close(&view->run);
	return rc;
}

static int run_timeline(const void *data, struct err *err)
{
	const struct timeline_values *values = data;
	struct timeline_view view = { .values = values, .filter = PROCESS_FILTER_INIT };
	struct table_options options;
	int rc;

	rc = view_get_filter(&values->view, &view.filter, err);
	if (!rc)
		rc = view_get_table_options(&values->view, &timeline_table, &options, err);
	if (!rc)
		rc = show(&view, &options, err);
	process_filter_release(&view.filter);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "show memory, processors and processes over time",
	.details =
		"A row for each step of time. The memory of a step is the most that was held "
		"in it, so that no peak is missed; processors are an average. The filters are for "
		"memory and CPU time: what worked is of the whole build.",
	.syntax = { groups, view_args, sizeof(struct timeline_values) },
	.table = &timeline_table,
	.examples = { { "What happened between 3:00 and 4:00?",
			"stagetrace timeline run --time 3:00..4:00 --every 2s" },
		      { "Memory of the compilers over time, for a spreadsheet",
			"stagetrace timeline run --role rustc --format csv" } },
	.run = run_timeline,
};
