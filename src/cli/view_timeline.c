#include "cli/view_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/phase_group.h"
#include "analysis/series.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "report/timeline_svg.h"
#include "report/timeline_view.h"
#include "report/view_head.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/wrap.h"

/* Series without --top. */
#define SERIES 15

/* Characters that the graph of a series has if lines have room, in any case, and without a limit. */
#define GRAPH_LEAST  20
#define GRAPH_NARROW 10
#define GRAPH_MOST   120

/* Characters of the graph of steps, and the fewest that it, and the names of crates, have on a narrow line. */
#define STEPS_GRAPH  24
#define STEPS_NARROW 12

/* Texts that are longer give way to the graph of their series. */
#define NAMES_NARROW 16

int64_t timeline_round_step(int64_t ns)
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

int64_t timeline_known_end(const struct view_run *run)
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

static struct timeline_frame frame_of(const struct timeline_view *view)
{
	struct timeline_frame frame = {
		.grouping = view->steps.grouping,
		.memory = view->memory,
		.step_ns = view->steps.step_ns,
		.end_ns = view->end_ns,
		.cpu = replay_facts(&view->replay)->cpu_event,
		.processes = view->by_stacks ? 0 : view->run.processes.nr,
		.work = view->run.source && view->run.processes.nr,
		.commit_limit_bytes =
			view->run.source ? view->run.manifest.memory.commit_limit_bytes : -1,
	};

	frame.average = view->by_stacks;
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++)
		frame.known[kind] = view->steps.memory[kind];
	for (size_t i = 0; i < view->steps.nr; i++) {
		const struct timeline_held *held = &view->points[i].held[view->memory];

		if (held->bytes > frame.most_bytes)
			frame.most_bytes = held->bytes;
	}
	return frame;
}

static int64_t sum_cpu(const struct timeline_view *view)
{
	int64_t cpu_ns = 0;

	for (size_t i = 0; i < view->steps.nr; i++)
		wrap_add_to(&cpu_ns, view->points[i].cpu_ns);
	return cpu_ns;
}

static double share_of_processors(const struct timeline_view *view, int64_t cpu_ns)
{
	return 100.0 * (double)cpu_ns /
	       ((double)(view->end_ns - view->steps.from_ns) *
		(double)replay_facts(&view->replay)->cpus);
}

static bool knows_cpu(const struct timeline_view *view)
{
	return replay_facts(&view->replay)->cpu_event && replay_facts(&view->replay)->cpus > 0;
}

static void add_cpu(const struct timeline_view *view, struct head *head)
{
	int64_t cpu_ns = sum_cpu(view);

	head_label(head, "cpu");
	head_number(head, "cpu_ns", COLUMN_DURATION, cpu_ns);
	head_wordsf(head, ", %.0f%% of ", share_of_processors(view, cpu_ns));
	head_number(head, "processors", COLUMN_INT, replay_facts(&view->replay)->cpus);
	head_words(head, " processors\n");
}

static void add_work(const struct timeline_view *view, const struct concurrency *work,
		     struct head *head)
{
	int64_t idle_ns = 0, alone_ns = 0;

	for (size_t i = 0; i < view->steps.nr; i++) {
		idle_ns += work[i].none_ns;
		alone_ns += work[i].alone_ns;
	}
	head_label(head, "work");
	head_words(head, "no process of the build worked for ");
	head_number(head, "idle_ns", COLUMN_DURATION, idle_ns);
	head_words(head, ", one alone for ");
	head_number(head, "alone_ns", COLUMN_DURATION, alone_ns);
	head_words(head, "\n");
}

/* The first point with the most memory. */
static void add_most(const struct timeline_view *view, bool filtered, struct head *head)
{
	const struct timeline_held *most = &view->points[0].held[view->memory];

	for (size_t i = 1; i < view->steps.nr; i++) {
		if (view->points[i].held[view->memory].bytes > most->bytes)
			most = &view->points[i].held[view->memory];
	}
	head_label(head, "most");
	head_number(head, "own_peak_bytes", COLUMN_BYTES, most->bytes);
	head_words(head, filtered ? " in the selection\n" : "\n");
	if (most->bytes > 0)
		head_keep_number(head, "own_peak_time_ns", most->bytes_ns);
	if (filtered)
		return;
	head_keep_number(head, "peak_bytes", most->bytes);
	if (most->bytes > 0)
		head_keep_number(head, "peak_time_ns", most->bytes_ns);
}

/* What all programs of the machine had committed, if it was measured. */
static void add_machine(const struct timeline_view *view, struct head *head)
{
	const struct machine_memory memory = machine_memory_of(
		replay_facts(&view->replay), view->steps.from_ns, view->filter.to_ns);
	int64_t limit = view->run.source ? view->run.manifest.memory.commit_limit_bytes : -1;

	if (memory.commit_bytes < 0)
		return;
	head_label(head, "machine");
	head_words(head, "the commit charge of all programs came to ");
	head_number(head, "machine_commit_bytes", COLUMN_BYTES, memory.commit_bytes);
	if (limit >= 0) {
		head_words(head, " of ");
		head_number(head, "commit_limit_bytes", COLUMN_BYTES, limit);
	}
	head_words(head, ", at ");
	head_moment(head, "machine_commit_time_ns", memory.commit_ns);
	head_words(head, "\n");
}

static void add_graphs(const struct timeline_view *view, const struct timeline_frame *frame,
		       struct head *head)
{
	head_label(head, "graphs");
	head_number(head, "character_ns", COLUMN_DURATION,
		    (view->end_ns - view->steps.from_ns) / (int64_t)frame->graph);
	if (frame->average)
		head_wordsf(head, " a character, processors in use; the highest is %.2f\n",
			    (double)frame->most_cpu_ns / (double)view->steps.step_ns);
	else
		head_words(head, " a character, the most in it; all rows have one scale\n");
}

/* `work` is NULL above series; `graphs`: what they have in common, NULL if they have none. */
static void make_head(const struct timeline_view *view, const struct concurrency *work,
		      const struct timeline_frame *graphs, struct head *head)
{
	struct view_head facts = view_run_head(
		&view->run, view_run_has_trace(&view->run) ? replay_facts(&view->replay) : NULL,
		view->filter.from_ns, view->filter.to_ns);

	facts.last_ns = timeline_known_end(&view->run);
	facts.filtered = process_filter_has_names(&view->filter);
	view_head_begin(&facts, head);
	if (graphs && graphs->graph) {
		add_graphs(view, graphs, head);
	} else {
		head_label(head, "steps");
		head_words(head, "of ");
		head_moment(head, "step_ns", view->steps.step_ns);
		head_words(head, view->by_stacks ? "\n"
						 : ": the most memory in each, and processors in "
						   "use on average\n");
	}
	if (view->steps.memory[view->memory])
		add_most(view, facts.filtered, head);
	if (work)
		add_machine(view, head);
	if (work && view->run.source && view->run.processes.nr)
		add_work(view, work, head);
	if (knows_cpu(view))
		add_cpu(view, head);
	view_head_end(&facts, head);
}

static bool wants_head(const struct timeline_view *view, const struct table_options *options)
{
	return options->format == TABLE_TEXT || view->values->head;
}

int timeline_print_nothing(const struct timeline_view *view, struct table_options *options,
			   struct err *err)
{
	const struct view_head facts =
		view_run_head(&view->run, NULL, view->filter.from_ns, view->filter.to_ns);
	const struct table *table =
		view->by >= 0 ? &timeline_series_tables[view->by] : &timeline_table;
	struct head head = HEAD_INIT;
	int rc;

	view_head_begin(&facts, &head);
	view_head_end(&facts, &head);
	options->head = view->values->head ? &head : NULL;
	rc = view_print_table(view->values, table, options, NULL, 0, err);
	head_release(&head);
	return rc;
}

/* The characters of a column of text alone. */
static size_t column_width(const struct table *table, const char *column, const void **rows,
			   size_t nr)
{
	const struct table_options alone = { .columns = column };

	return table_text_width(table, &alone, rows, nr);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Give the graph of steps what is left of a line. Returns the table to print: without it where too little is left. */
static const struct table *fit_graph(const struct table_options *options, const void **rows,
				     size_t nr, struct timeline_frame *frame)
{
	size_t full, crates, over, narrowest;

	frame->graph = STEPS_GRAPH;
	if (options->format != TABLE_TEXT || !options->width)
		return &timeline_table;
	full = table_text_width(&timeline_table, options, rows, nr);
	crates = column_width(&timeline_table, "crate", rows, nr);
	over = full > options->width ? full - options->width : 0;
	if (over > STEPS_GRAPH - STEPS_NARROW)
		frame->graph = STEPS_NARROW;
	else
		frame->graph -= over;
	narrowest = full - STEPS_GRAPH + STEPS_NARROW - crates + least(crates, STEPS_NARROW);
	if (!options->columns && narrowest > options->width)
		return &timeline_table_without_graph;
	return &timeline_table;
}

/* Before stage 2 begins and after its end nothing is to be done: that is not idle time, as in `system`. */
static void leave_out_rest(const struct timeline_view *view, struct concurrency *work)
{
	const struct manifest *manifest = &view->run.manifest;
	int64_t step_ns = view->steps.step_ns;

	if (!view->run.source || manifest->stage2_end_ns < 0)
		return;
	for (size_t i = 0; i < view->steps.nr; i++) {
		int64_t start = view->steps.from_ns + (int64_t)i * step_ns, end = start + step_ns;
		int64_t from, to;

		end = end < view->end_ns ? end : view->end_ns;
		from = start > manifest->stage2_start_ns ? start : manifest->stage2_start_ns;
		to = end < manifest->stage2_end_ns ? end : manifest->stage2_end_ns;
		work[i].none_ns -= end - start - (to > from ? to - from : 0);
		if (work[i].none_ns < 0)
			work[i].none_ns = 0;
	}
}

/* Rows are times alone then. */
static void note_if_empty(const struct timeline_view *view, const struct timeline_frame *frame)
{
	if (!frame->work && !view->steps.memory[TIMELINE_COMMITTED] &&
	    !view->steps.memory[TIMELINE_TOUCHED] && !replay_facts(&view->replay)->cpu_event)
		message_print("note: ", "only processes are known, and not which of them worked: "
					"`--by role` and `--format svg` show when they ran");
}

int timeline_print_build(const struct timeline_view *view, struct table_options *options,
			 struct err *err)
{
	struct timeline_frame frame = frame_of(view);
	size_t nr = view->steps.nr;
	const struct table *table;
	struct concurrency *work = xcalloc(nr, sizeof(*work));
	struct machine_memory *machine = xcalloc(nr, sizeof(*machine));
	struct timeline_row *rows = xcalloc(nr, sizeof(*rows));
	const void **pointers = xcalloc(nr, sizeof(*pointers));
	struct head head = HEAD_INIT;
	int rc;

	concurrency_series(&view->run.processes, view->steps.from_ns, view->end_ns,
			   view->steps.step_ns, nr, replay_facts(&view->replay)->cpus, work);
	leave_out_rest(view, work);
	machine_memory_steps(replay_facts(&view->replay), view->steps.from_ns, view->steps.step_ns,
			     machine, nr);
	for (size_t i = 0; i < nr; i++) {
		rows[i] = (struct timeline_row){ .frame = &frame,
						 .point = &view->points[i],
						 .work = &work[i],
						 .machine = &machine[i] };
		pointers[i] = &rows[i];
	}
	if (wants_head(view, options)) {
		make_head(view, work, NULL, &head);
		options->head = &head;
	}
	note_if_empty(view, &frame);
	table = fit_graph(options, pointers, nr, &frame);
	rc = view_print_table(view->values, table, options, pointers, nr, err);
	head_release(&head);
	free(work);
	free(machine);
	free(rows);
	free(pointers);
	return rc;
}

/* Rows of series, sorted; the first `shown` are printed. */
struct series_rows {
	struct timeline_frame frame;
	struct timeline_row *v; /* of all series */
	const void **pointers;
	size_t nr, shown;
	struct series_point *points; /* of those that are printed */
};

static int sort_series(const struct timeline_view *view, const struct table_options *options,
		       struct series_rows *rows, struct err *err)
{
	const char *sort = options->sort                     ? options->sort
			   : rows->frame.known[view->memory] ? "memory_bytes"
			   : rows->frame.cpu                 ? "cpu_ns"
							     : "processes";

	return table_sort(&timeline_series_tables[view->by], sort, rows->pointers, rows->nr, err);
}

static int find_points(const struct timeline_view *view, const struct series_set *set,
		       struct series_rows *rows, struct err *err)
{
	struct timeline_frame *frame = &rows->frame;
	size_t nr = view->steps.nr;

	if (rows->shown && nr > TIMELINE_POINTS_MAX / rows->shown)
		return err_set(err, ERR_USAGE,
			       "those are more than %d points; longer steps (--every) or fewer "
			       "rows (--top) are needed",
			       TIMELINE_POINTS_MAX);
	rows->points = xcalloc(rows->shown * nr, sizeof(*rows->points));
	frame->most_bytes = 0;
	for (size_t i = 0; i < rows->shown; i++) {
		const struct timeline_row *sorted = rows->pointers[i];
		struct timeline_row *row = &rows->v[sorted - rows->v];
		struct series_point *points = &rows->points[i * nr];

		series_set_points(set, row->series, points);
		row->points = points;
		row->points_nr = nr;
		for (size_t k = 0; k < nr; k++) {
			if (points[k].bytes > frame->most_bytes)
				frame->most_bytes = points[k].bytes;
			if (points[k].cpu_ns > frame->most_cpu_ns)
				frame->most_cpu_ns = points[k].cpu_ns;
			if (points[k].processes > frame->most_processes)
				frame->most_processes = points[k].processes;
		}
	}
	return 0;
}

/* The same where names and numbers are measured, and long names shortened. */
static size_t narrow_width(const struct timeline_view *view, const struct table_options *options,
			   struct series_rows *rows, size_t graphs_nr)
{
	const struct table *table = &timeline_series_tables[view->by];
	size_t names =
		column_width(table, series_kind_names[view->by], rows->pointers, rows->shown);
	size_t used, left;

	rows->frame.graph = GRAPH_NARROW;
	used = table_text_width(table, options, rows->pointers, rows->shown) -
	       graphs_nr * GRAPH_NARROW - names + least(names, NAMES_NARROW);
	left = used < options->width ? (options->width - used) / graphs_nr : 0;
	return left < GRAPH_NARROW ? GRAPH_NARROW : least(left, GRAPH_LEAST);
}

/* What is left of a line for each graph, where the other columns are those of text without --columns; 0: there is none. */
static size_t graph_width(const struct timeline_view *view, const struct table_options *options,
			  struct series_rows *rows)
{
	static const char *const graphs[] = { "graph", "processes_graph", "cpu_graph" };
	size_t names = 4, used = view->by_stacks ? 8 + 2 * 2 : 8 + 10 + 10 + 4 * 2, nr = 0, width;

	for (size_t i = 0; i < ARRAY_SIZE(graphs); i++)
		nr += table_uses(&timeline_series_tables[view->by], options, graphs[i]);
	for (size_t i = 0; i < rows->shown; i++) {
		const struct timeline_row *row = rows->pointers[i];
		size_t length = row->series->text ? utf8_length(row->series->text) : 0;

		names = length > names ? length : names;
	}
	if (!nr)
		return 0;
	used += names;
	width = !options->width         ? GRAPH_MOST
		: used < options->width ? (options->width - used) / nr
					: 0;
	if (width < GRAPH_LEAST)
		width = narrow_width(view, options, rows, nr);
	return least(width, view->steps.nr);
}

/* Columns where memory is not known, whose graph is the one of crates and parts; NULL: those of the table. */
static char *columns_without_memory(const struct timeline_view *view,
				    const struct table_options *options,
				    const struct timeline_frame *frame)
{
	const char *key = series_kind_names[view->by];

	if (options->columns || frame->known[view->memory] || series_kinds[view->by] == BY_ROLE)
		return NULL;
	return frame->cpu ? xasprintf("%s,cpu_ns,cpu_graph", key)
			  : xasprintf("%s,processes,processes_graph", key);
}

/* The scale of graphs with averages. */
static void find_highest(struct series_rows *rows)
{
	struct timeline_frame *frame = &rows->frame;

	frame->most_cpu_ns = 0;
	for (size_t i = 0; i < rows->shown; i++) {
		const struct timeline_row *row = rows->pointers[i];

		for (size_t k = 0; k < frame->graph; k++) {
			int64_t cpu_ns = timeline_graph_cpu(frame, row->points, row->points_nr, k);

			if (cpu_ns > frame->most_cpu_ns)
				frame->most_cpu_ns = cpu_ns;
		}
	}
}

static int print_graphs(const struct timeline_view *view, const struct table_options *options,
			struct series_rows *rows, struct err *err)
{
	struct table_options sorted = *options;
	struct head head = HEAD_INIT;
	char *columns = columns_without_memory(view, options, &rows->frame);
	int rc;

	if (columns)
		sorted.columns = columns;
	sorted.sort = NULL;
	sorted.top = (int64_t)rows->shown;
	rows->frame.graph = graph_width(view, &sorted, rows);
	if (rows->frame.average)
		find_highest(rows);
	make_head(view, NULL, &rows->frame, &head);
	sorted.head = &head;
	rc = view_print_table(view->values, &timeline_series_tables[view->by], &sorted,
			      rows->pointers, rows->nr, err);
	head_release(&head);
	free(columns);
	return rc;
}

/* A row for each step of each series. */
static int print_points(const struct timeline_view *view, const struct table_options *options,
			const struct series_rows *rows, struct err *err)
{
	size_t steps = view->steps.nr, nr = rows->shown * steps;
	struct timeline_row *v = xcalloc(nr, sizeof(*v));
	const void **pointers = xcalloc(nr, sizeof(*pointers));
	struct table_options all = *options;
	struct head head = HEAD_INIT;
	int rc;

	for (size_t i = 0; i < nr; i++) {
		v[i] = *(const struct timeline_row *)rows->pointers[i / steps];
		v[i].points = &rows->points[i];
		v[i].points_nr = 0;
		pointers[i] = &v[i];
	}
	all.sort = NULL;
	all.top = 0;
	if (!options->top && rows->shown < rows->nr)
		message_printf("note: ", "these are the first %zu of %zu; --top shows more",
			       rows->shown, rows->nr);
	if (wants_head(view, options)) {
		make_head(view, NULL, NULL, &head);
		all.head = &head;
	}
	rc = view_print_table(view->values, &timeline_series_tables[view->by], &all, pointers, nr,
			      err);
	head_release(&head);
	free(v);
	free(pointers);
	return rc;
}

int timeline_print_series(const struct timeline_view *view, struct table_options *options,
			  struct err *err)
{
	const struct series_request request = {
		.timeline = &view->steps,
		.keys = timeline_keys(view->timeline),
		.memory = view->memory,
		.by = series_kinds[view->by],
		.end_ns = view->end_ns,
		.processes = &view->run.processes,
		.filter = &view->filter,
	};
	struct series_set *set = series_set_new(&request);
	struct series_rows rows = { .frame = frame_of(view) };
	const struct series *series = series_set_get(set, &rows.nr);
	size_t top = options->top ? (size_t)options->top : SERIES;
	int rc;

	rows.v = xcalloc(rows.nr, sizeof(*rows.v));
	rows.pointers = xcalloc(rows.nr, sizeof(*rows.pointers));
	for (size_t i = 0; i < rows.nr; i++) {
		rows.v[i] = (struct timeline_row){ .frame = &rows.frame,
						   .series = &series[i],
						   .points_nr = 1 };
		rows.pointers[i] = &rows.v[i];
	}
	rows.shown = rows.nr < top ? rows.nr : top;
	rc = sort_series(view, options, &rows, err);
	if (!rc)
		rc = find_points(view, set, &rows, err);
	if (!rc && options->format == TABLE_TEXT)
		rc = print_graphs(view, options, &rows, err);
	else if (!rc)
		rc = print_points(view, options, &rows, err);
	free(rows.v);
	free(rows.pointers);
	free(rows.points);
	series_set_free(set);
	return rc;
}

/* The highest of each process. */
static void set_peaks(const struct timeline_view *view, struct timeline_bar *bars)
{
	const struct timeline_keys *keys = timeline_keys(view->timeline);
	struct intmap places = process_list_places(&view->run.processes);

	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
		for (size_t i = 0; i < keys->held_nr[kind]; i++) {
			const struct timeline_key_held *held = &keys->held[kind][i];
			const struct process *process =
				grouping_part(view->steps.grouping, held->key, BY_PROCESS)->process;
			size_t place = process_list_place(&places, process);

			if (place != PROCESS_NO_PLACE && held->bytes > bars[place].peak_bytes[kind])
				bars[place].peak_bytes[kind] = held->bytes;
		}
	}
	intmap_release(&places);
}

static void set_steps(struct timeline_bar *bars, const struct phase_step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct timeline_bar *bar = &bars[steps[i].process];

		if (!bar->steps_nr++)
			bar->steps = &steps[i];
	}
}

static bool has_phases(const struct phase_step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (phase_step_most(&steps[i]) != PHASE_OTHER)
			return true;
	}
	return false;
}

static int compare_starts(const void *a, const void *b)
{
	const struct timeline_bar *x = a, *y = b;

	if (x->process->start_ns != y->process->start_ns)
		return x->process->start_ns < y->process->start_ns ? -1 : 1;
	return (x->process->pid > y->process->pid) - (x->process->pid < y->process->pid);
}

/* Of the processes that the filter lets through, in place. */
static size_t choose_bars(const struct timeline_view *view, struct timeline_bar *bars)
{
	size_t nr = 0;

	for (size_t i = 0; i < view->run.processes.nr; i++) {
		if (process_filter_match(&view->filter, bars[i].process) &&
		    bars[i].process->start_ns < view->end_ns)
			bars[nr++] = bars[i];
	}
	if (nr)
		qsort(bars, nr, sizeof(*bars), compare_starts);
	return nr;
}

static void add_subtitle(const struct timeline_view *view, size_t bars_nr, struct strbuf *sb)
{
	strbuf_addf(sb, "%zu process%s", bars_nr, bars_nr == 1 ? "" : "es");
	view_add_selection(view->values, sb);
	strbuf_adds(sb, "; ");
	text_add_duration(sb, view->steps.from_ns);
	strbuf_adds(sb, " to ");
	text_add_duration(sb, view->end_ns);
	if (!knows_cpu(view))
		return;
	strbuf_adds(sb, "; CPU time ");
	text_add_duration(sb, sum_cpu(view));
	strbuf_addf(sb, ", %.0f%% of %lld processors", share_of_processors(view, sum_cpu(view)),
		    (long long)replay_facts(&view->replay)->cpus);
}

/* Who held most in each step. */
static const char **find_crates(const struct timeline_view *view)
{
	const char **crates = xcalloc(view->steps.nr, sizeof(*crates));

	for (size_t i = 0; i < view->steps.nr; i++) {
		uint32_t key = view->points[i].held[view->memory].key;

		if (key != GROUP_NONE)
			crates[i] = grouping_part(view->steps.grouping, key, BY_PROCESS)
					    ->process->tag.crate;
	}
	return crates;
}

int timeline_print_picture(const struct timeline_view *view, struct err *err)
{
	const struct process_list *list = &view->run.processes;
	struct timeline_bar *bars = xcalloc(list->nr, sizeof(*bars));
	const char **crates = find_crates(view);
	struct strbuf subtitle = STRBUF_INIT;
	struct result_file file;
	size_t steps_nr, bars_nr;
	int rc;
	struct phase_step *steps = phase_steps_collect(timeline_keys(view->timeline),
						       view->steps.cpu, list, &steps_nr);
	struct timeline_picture picture = {
		.title = text_file_name(view->run.path),
		.start_ns = view->steps.from_ns,
		.end_ns = view->end_ns,
		.step_ns = view->steps.step_ns,
		.sample_ns = timeline_sample_ns(view->timeline),
		.points = view->points,
		.points_nr = view->steps.nr,
		.crates = crates,
		.bars = bars,
		.cpus = replay_facts(&view->replay)->cpus,
		.cpu = replay_facts(&view->replay)->cpu_event,
		.phases = has_phases(steps, steps_nr),
	};

	for (size_t i = 0; i < list->nr; i++)
		bars[i].process = list->v[i];
	set_peaks(view, bars);
	set_steps(bars, steps, steps_nr);
	bars_nr = choose_bars(view, bars);
	add_subtitle(view, bars_nr, &subtitle);
	picture.bars_nr = bars_nr;
	picture.subtitle = subtitle.buf;
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++)
		picture.memory[kind] = view->steps.memory[kind];
	rc = result_file_open(&file, view->values->output, view->values->force, false, err);
	if (!rc) {
		timeline_svg_write(&picture, file.out);
		rc = result_file_close(&file, 0, err);
	}
	strbuf_release(&subtitle);
	free(steps);
	free(crates);
	free(bars);
	return rc;
}
