#include <stdlib.h>
#include <string.h>

#include "analysis/series.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "cli/view_options.h"
#include "cli/view_results.h"
#include "cli/view_run.h"
#include "cli/view_timeline.h"
#include "report/account.h"
#include "report/timeline_view.h"
#include "util/alloc.h"
#include "util/text.h"

/* Points without --every: about so many. */
#define POINTS         500
#define POINTS_TEXT    40
#define POINTS_PICTURE 1000

/* More are refused: some hundred bytes each. */
#define POINTS_MAX         1000000
#define POINTS_PICTURE_MAX 20000

struct timeline_values {
	struct view_values view; /* must be first, as in every view */
	const char *every;
	int of, by; /* `by`: index of by_names */
	const char *stack_tags, *symfs;
};

/* Those of tables, and the picture. */
#define FORMAT_SVG (TABLE_JSONL + 1)

static const char *format_name(size_t i)
{
	return i < FORMAT_SVG ? table_format_name(i) : i == FORMAT_SVG ? "svg" : NULL;
}

static const char *format_ending(size_t i)
{
	return i < FORMAT_SVG ? table_format_ending(i) : ".svg";
}

static const struct opt_choices formats = { .name = format_name, .ending = format_ending };

/* The first one is the default. */
static const char *by_name(size_t i)
{
	return i ? series_kind_names[i - 1] : "build";
}

static const struct opt_choices by_names = { .name = by_name };

static const char *const kind_names[] = { "commit", "touched", NULL };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_CHOICE, "KEY",
	  "build, the whole (the default), or a series for each crate, role, part, phase or query "
	  "(of rustc, their CPU time alone): in text a row with a graph, else a row for each of "
	  "its steps; the first 15 without --top",
	  offsetof(struct timeline_values, by), &by_names },
	{ 0, "every", OPT_STRING, "STEP",
	  "length of a step, as in 500ms or 10s; by default the range has some 500 steps, in text "
	  "of the build some 40",
	  offsetof(struct timeline_values, every), NULL },
	{ 0, "of", OPT_CHOICE, "KIND",
	  "the memory: commit (the default), what was asked for, or touched, what was written",
	  offsetof(struct timeline_values, of), OPT_WORDS(kind_names) },
	{ 0, "stack-tags", OPT_STRING, "FILE",
	  "of --by phase: the rules of this file instead of rustc.stacktags",
	  offsetof(struct timeline_values, stack_tags), NULL },
	{ 0, "symfs", OPT_STRING, "DIR",
	  "of phases and queries: look for the programs and libraries of a Linux trace below DIR "
	  "first",
	  offsetof(struct timeline_values, symfs), NULL },
	OPT_END,
};

static const struct opt output_rows[] = {
	{ 0, "format", OPT_GIVEN, "FORMAT",
	  "text, json, jsonl, csv, or svg: a picture of all processes, processors and memory; "
	  "without it "
	  "what the name of FILE says, or text",
	  offsetof(struct view_values, format), &formats },
	VIEW_TABLE_OPTIONS,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	VIEW_FILTER_GROUP,
	{ "Output", output_rows, 0 },
	OPT_GROUP_END,
};

static const struct table *table_of(const struct timeline_values *values)
{
	return values->by ? &timeline_series_tables[values->by - 1] : &timeline_table;
}

static void note_end(int64_t end_ns)
{
	struct strbuf sb = STRBUF_INIT;

	text_add_moment(&sb, end_ns);
	message_printf("note: ", "--time begins after the end of the recording, at %s", sb.buf);
	strbuf_release(&sb);
}

static int points_wanted(const struct timeline_view *view, enum table_format format)
{
	if (view->picture)
		return POINTS_PICTURE;
	return format == TABLE_TEXT && view->by < 0 ? POINTS_TEXT : POINTS;
}

/* No steps: the range begins after the end. */
static int choose_steps(struct timeline_view *view, const struct timeline_values *values,
			enum table_format format, struct err *err)
{
	int64_t known_ns = timeline_known_end(&view->run), to_ns = view->filter.to_ns, length;
	int most = view->picture ? POINTS_PICTURE_MAX : POINTS_MAX;
	struct timeline_options *steps = &view->steps;

	if (known_ns >= 0 && known_ns < to_ns)
		to_ns = known_ns;
	steps->from_ns = view->filter.from_ns > 0 ? view->filter.from_ns : 0;
	if (known_ns >= 0 && steps->from_ns >= known_ns && steps->from_ns > 0) {
		note_end(known_ns);
		return 0;
	}
	length = to_ns > steps->from_ns && to_ns < INT64_MAX ? to_ns - steps->from_ns : 1;
	view->end_ns = steps->from_ns + length;
	steps->step_ns = timeline_round_step(length / points_wanted(view, format));
	if (values->every &&
	    (!text_parse_duration(values->every, NS_PER_S, &steps->step_ns) || steps->step_ns <= 0))
		return err_set(err, ERR_USAGE,
			       "--every takes a duration above 0, as in 500ms or 10s, not '%s'",
			       values->every);
	if (length / steps->step_ns >= most)
		return err_set(err, ERR_USAGE,
			       "--every %s: those are more than %d steps; a larger one is needed",
			       values->every, most);
	if (steps->step_ns > length)
		steps->step_ns = length;
	steps->nr = (size_t)(length / steps->step_ns + (length % steps->step_ns != 0));
	return 0;
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	const struct timeline_view *view = data;

	(void)replay;
	return timeline_apply(view->timeline, event);
}

static int open_trace(struct timeline_view *view, bool touched, const char *symfs, struct err *err)
{
	bool names = view->picture || view->by_stacks;
	const struct view_trace_options options = {
		.replay = { .cpu = true,
			    .memory = !view->by_stacks,
			    .touched = touched,
			    .names = names,
			    .no_stacks = !names,
			    .cpu_stacks = names,
			    .symfs = symfs },
		.tags = true,
		/* Where nothing else says when the recording ended. */
		.processes = !view->run.source || view->run.manifest.stage2_end_ns <= 0,
	};

	/* Its processes are known. */
	if (!view_run_has_trace(&view->run)) {
		replay_open_none(&view->run.processes, &view->replay);
		return 0;
	}
	return view_trace_open(&view->run, &options, &view->replay, err);
}

/* What memory is counted. What of the trace cannot be shown is said. */
static void choose_memory(struct timeline_view *view, bool touched)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	const char *without =
		view_run_has_trace(&view->run) ? NULL : "it was recorded without a trace";
	const char *const refusals[TIMELINE_MEMORIES] = {
		without ? without : facts->memory_refusal,
		without ? without : facts->touched_refusal,
	};

	if (refusals[view->memory])
		message_printf("note: ", "no memory is shown: %s", refusals[view->memory]);
	view->steps.memory[view->memory] = !refusals[view->memory];
	if (touched)
		view->steps.memory[TIMELINE_TOUCHED] = !refusals[TIMELINE_TOUCHED];
}

static int play(struct timeline_view *view, struct err *err)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	struct strbuf notes = STRBUF_INIT;

	if (view->by_stacks && !facts->cpu_event)
		return err_set(err, ERR_UNSUPPORTED, "cannot show '%s' by %s: %s", view->run.path,
			       series_kind_names[view->by],
			       !view_run_has_trace(&view->run) ? "it was recorded without a trace"
			       : facts->cpu_refusal            ? facts->cpu_refusal
							       : "it has no CPU samples");
	if (!view->steps.memory[TIMELINE_COMMITTED] && !view->steps.memory[TIMELINE_TOUCHED] &&
	    !facts->cpu_event && !view->run.processes.nr)
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot show '%s' over time: it has neither memory events, nor CPU "
			       "samples, nor processes",
			       view->run.path);
	view->timeline = timeline_new(&view->steps);
	if (view_trace_play(&view->replay, take, view, err))
		return err_wrap(err, "cannot read the trace of '%s'", view->run.path);
	timeline_end(view->timeline);
	if (grouping_by_stacks(view->steps.cpu)) {
		stack_table_trim(&view->replay.machine.stacks);
		replay_open_files(&view->replay);
	}
	view->points = timeline_finish(view->timeline);
	view_note_tags(&view->run, facts, &view->filter,
		       view->by >= 0 && (series_kinds[view->by] == BY_PART ||
					 series_kinds[view->by] == BY_CRATE));
	process_filter_explain(&view->filter, &view->run.processes, &notes);
	if (view->memory == TIMELINE_COMMITTED && timeline_hides_a_heap(view->timeline))
		results_add_hidden_heap(facts, &notes);
	message_print_buf("note: ", &notes);
	return 0;
}

static int print(const struct timeline_view *view, struct table_options *options, struct err *err)
{
	if (!view->steps.nr)
		return view->picture ? err_set(err, ERR_USAGE,
					       "there is nothing to draw: --time begins after the "
					       "end of the recording")
				     : timeline_print_nothing(view, options, err);
	if (view->picture)
		return timeline_print_picture(view, err);
	return view->by >= 0 ? timeline_print_series(view, options, err)
			     : timeline_print_build(view, options, err);
}

/* NULL: they are not needed. The colours of a picture are those of the program's own rules. */
static int get_tags(const struct timeline_view *view, const char *path, struct stack_tags **tags,
		    struct err *err)
{
	bool series = view->by >= 0 && series_kinds[view->by] == BY_PHASE;

	*tags = NULL;
	if (path && !series)
		return err_set(err, ERR_USAGE, "--stack-tags is for --by phase");
	if (path)
		return results_load_tags(path, tags, err);
	if (series || view->picture)
		*tags = stack_tags_builtin();
	return 0;
}

static int play_and_print(struct timeline_view *view, struct table_options *options, bool touched,
			  const struct stack_tags *tags, struct err *err)
{
	enum group_by by = view->picture   ? BY_PROCESS
			   : view->by >= 0 ? series_kinds[view->by]
					   : BY_CRATE;
	const struct grouping_spec spec = { .by = { by },
					    .tags = tags,
					    .processes = &view->filter };
	const struct grouping_spec of_phases = {
		.by = { BY_PROCESS, BY_PHASE }, .nr = 2, .tags = tags, .processes = &view->filter
	};
	struct machine *machine = &view->replay.machine;
	struct timeline_options *steps = &view->steps;
	int rc = 0;

	steps->machine = machine;
	steps->grouping = grouping_new(&spec, machine, &view->replay.functions);
	steps->cpu = view->picture ? grouping_new(&of_phases, machine, &view->replay.functions)
				   : steps->grouping;
	steps->keys = view->picture || view->by >= 0;
	steps->complete = replay_facts(&view->replay)->stacks_apart;
	steps->to_ns = view->filter.to_ns;
	if (steps->nr) {
		if (!view->by_stacks)
			choose_memory(view, touched);
		rc = play(view, err);
	}
	if (!rc)
		rc = print(view, options, err);
	timeline_free(view->timeline);
	if (view->picture)
		grouping_free(steps->cpu);
	grouping_free(steps->grouping);
	return rc;
}

static int show_run(struct timeline_view *view, const struct timeline_values *values,
		    struct table_options *options, const struct stack_tags *tags, struct err *err)
{
	bool touched = view->memory == TIMELINE_TOUCHED || view->picture ||
		       (view->by < 0 && table_uses(&timeline_table, options, "touched_bytes"));
	struct view_subject subject = VIEW_NO_STACKS;
	int rc;

	subject.cpu_stacks = view->picture || view->by_stacks;
	if (view_run_open(&values->view.traces, subject, &view->run, err))
		return -1;
	rc = open_trace(view, touched, values->symfs, err);
	if (!rc) {
		rc = choose_steps(view, values, options->format, err);
		if (!rc)
			rc = play_and_print(view, options, touched, tags, err);
		replay_close(&view->replay);
	}
	view_run_close(&view->run);
	return rc;
}

static int show(struct timeline_view *view, const struct timeline_values *values,
		struct table_options *options, struct err *err)
{
	struct stack_tags *tags;
	int rc;

	if (results_check_symfs(values->symfs, err) ||
	    get_tags(view, values->stack_tags, &tags, err))
		return -1;
	rc = show_run(view, values, options, tags, err);
	stack_tags_free(tags);
	return rc;
}

/* A picture is no table. */
static int check_picture(const struct view_values *values, int by, struct err *err)
{
	if (by || values->columns || values->sort || values->top || values->wide || values->head)
		return err_set(err, ERR_USAGE,
			       "--by, --columns, --sort, --top, --head and --wide are for tables, "
			       "not for --format svg");
	if (values->quiet)
		message_set_quiet();
	return result_file_check(values->output, values->force, &values->traces, err);
}

static int run_timeline(const void *data, struct err *err)
{
	const struct timeline_values *values = data;
	struct timeline_view view = {
		.values = &values->view,
		.filter = PROCESS_FILTER_INIT,
		.memory = values->of ? TIMELINE_TOUCHED : TIMELINE_COMMITTED,
		.by = values->by - 1,
		.by_stacks = values->by && group_by_stacks(series_kinds[values->by - 1]),
	};
	struct table_options options = { .format = TABLE_TEXT };
	int format;

	if (view.by_stacks && values->of)
		return err_set(err, ERR_USAGE,
			       "--of is for memory, and --by %s shows CPU time alone",
			       series_kind_names[view.by]);
	if (result_file_format(values->view.output, &formats, values->view.format, &format, err))
		return -1;
	view.picture = format == FORMAT_SVG;
	if (view.picture ? check_picture(&values->view, values->by, err)
			 : view_get_table_options(&values->view, table_of(values), &options, err))
		return -1;
	if (view_get_filter(&values->view, &view.filter, err) ||
	    show(&view, values, &options, err)) {
		process_filter_release(&view.filter);
		return -1;
	}
	process_filter_release(&view.filter);
	return EXIT_CODE_DONE;
}

const struct command timeline_command = {
	.name = "timeline",
	.summary = "show memory, processors and processes over time",
	.details =
		"A row for each step of time. The memory of a step is the most that was held "
		"in it, so that no peak is missed; processors are an average. The filters are for "
		"memory and CPU time: what worked is of the whole build.",
	.syntax = { groups, view_args, sizeof(struct timeline_values) },
	.table = &timeline_all_columns,
	.examples = { { "What happened between 3:00 and 4:00?",
			"stagetrace timeline run --time 3:00..4:00 --every 2s" },
		      { "When was least of the machine used?",
			"stagetrace timeline run --every 10s --sort cpus:asc --top 10" },
		      { "Which crates held most memory, and when?",
			"stagetrace timeline run --by crate" },
		      { "What was the compiler doing, and when?",
			"stagetrace timeline run --by phase --role rustc" },
		      { "A picture of the whole build",
			"stagetrace timeline run --format svg -o build.svg" } },
	.run = run_timeline,
};
