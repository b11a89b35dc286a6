#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare_hidden.h"
#include "cli/compare_judge.h"
#include "cli/compare_output.h"
#include "cli/compare_sides.h"
#include "cli/gates.h"
#include "cli/message.h"
#include "cli/min_effect.h"
#include "cli/result_file.h"
#include "cli/run_settings.h"
#include "cli/view_options.h"
#include "compare/unit.h"
#include "report/compare_view.h"
#include "report/head.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

struct compare_values {
	struct view_values view; /* first; its traces are those before "--" */
	struct strvec new;       /* those after it */
	struct opt_pair by;      /* indexes of `kinds` */
	int measure;
	const char *min_effect;
	bool full_names;
	struct strvec fail_if;
	const char *db;
};

static const enum group_by kinds[] = { BY_PROCESS, BY_ROLE,  BY_PART,     BY_CRATE,
				       BY_PHASE,   BY_QUERY, BY_FUNCTION, BY_STACK };

static const char *kind_name(size_t i)
{
	return i < ARRAY_SIZE(kinds) ? group_by_names[kinds[i]] : NULL;
}

/* Stacks are taken with the process that they are of. */
static bool kinds_pair(size_t i, size_t other)
{
	return i != other && kinds[i] != BY_PROCESS && kinds[other] != BY_PROCESS &&
	       (kinds[i] != BY_STACK || !group_by_stacks(kinds[other])) &&
	       (kinds[other] != BY_STACK || !group_by_stacks(kinds[i]));
}

static const struct opt_choices kind_choices = { .name = kind_name, .pairs = kinds_pair };

/* A gate of the build may be of its peak. */
static const char *why_no_metric(const char *word)
{
	return strcmp(word, "peak") != 0 ? NULL
					 : "that of each row is 'own-peak', and that of the whole "
					   "build is above them";
}

static const struct opt_choices metrics = { .words = measure_names, .refusal = why_no_metric };

static const struct opt option_rows[] = {
	{ 0, "by", OPT_PAIR, "KEY[,KEY]",
	  "what a row is: process, role, part, crate, phase, query, function or stack, or two of "
	  "them; by default part,crate",
	  offsetof(struct compare_values, by), &kind_choices },
	{ 0, "metric", OPT_CHOICE, "METRIC",
	  "what text shows, and what rows are sorted by, those that changed most first: own-peak "
	  "(the default), at-peak, size, cpu or wall; data formats have all",
	  offsetof(struct compare_values, measure), &metrics },
	{ 0, "min-effect", OPT_STRING, "PERCENT,SIZE,TIME",
	  "the smallest change that text shows, as 1%,1MB,0.5s (the default): in percent, and in "
	  "bytes or time; any of the three may be left out; 0 shows all",
	  offsetof(struct compare_values, min_effect), NULL },
	{ 0, "full-names", OPT_FLAG, NULL,
	  "functions keep their type arguments: instances are not added up",
	  offsetof(struct compare_values, full_names), NULL },
	FAIL_IF_OPTION(offsetof(struct compare_values, fail_if),
		       ", as 'crate:rustc_middle.own-peak > +5%'; may be given several times; by "
		       "default those of [compare] in the new run's config.ini"),
	COMPARE_DB_OPTION(offsetof(struct compare_values, db), "of one run a side"),
	OPT_END,
};

static const struct opt output_rows[] = {
	{ 0, "format", OPT_GIVEN, "FORMAT",
	  "what to write; without it what the name of FILE says, or text",
	  offsetof(struct view_values, format), &compare_formats },
	VIEW_TABLE_OPTIONS,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, 0 },
	VIEW_FILTER_GROUP,
	{ "Output", output_rows, 0 },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "BASE", "runs to compare with: directories, bundles, or bare traces", false, OPT_MANY,
	  offsetof(struct compare_values, view.traces) },
	{ "NEW", "runs to compare; of two runs alone the second is the new one", true, OPT_THEN,
	  offsetof(struct compare_values, new) },
	OPT_ARG_END,
};

static int get_keys(const struct opt_pair *by, const struct compare_format *format,
		    struct compare_keys *keys, struct err *err)
{
	*keys = (struct compare_keys){ .by = { BY_PART, BY_CRATE }, .nr = 2 };
	if (format && format->by_nr) {
		keys->by[0] = format->by[0];
		keys->nr = format->by_nr;
	}
	if (by->nr)
		keys->nr = by->nr;
	for (size_t i = 0; i < by->nr; i++)
		keys->by[i] = kinds[by->v[i]];
	if (by->nr < 2 || kinds_pair((size_t)by->v[0], (size_t)by->v[1]))
		return 0;
	if (keys->by[0] != BY_PROCESS && keys->by[1] != BY_PROCESS)
		return err_set(
			err, ERR_USAGE,
			"--by stack goes alone, or with role, part or crate: a stack has its "
			"phase, queries and functions");
	return err_set(err, ERR_USAGE,
		       "--by process has all keys of a process: give it "
		       "alone");
}

/* A comparison from its options to its rows. */
struct compare_view {
	const struct compare_values *values;
	const struct compare_format *format; /* NULL: a table */
	struct compare_keys keys;
	struct compare_effect effect;
	struct process_filter filter;
	struct compare_sides sides;
	struct compare_spec shown, build;
	struct comparison units;
	struct compare_judgement judgement;
	struct compare_hidden hidden;
	struct gate_specs gates;
	struct compare_gate *judged; /* of each gate */
	bool split_known;
	struct compare_split split;
	struct strvec warnings; /* also those that --quiet does not print */
};

static int read_runs(struct compare_view *view, struct err *err)
{
	struct compare_spec *specs[4 + GATE_KEYS] = { &view->shown, &view->build };
	struct compare_request request = { .specs = specs,
					   .specs_nr =
						   2 + gate_specs_add(&view->gates, specs + 2) };

	if (view->judgement.by_crates)
		specs[request.specs_nr++] = &view->judgement.crates;
	if (view->hidden.is_read)
		specs[request.specs_nr++] = &view->hidden.compiles;
	if (compare_sides_read(&view->sides, request, &view->units, err))
		return -1;
	compare_join(&view->shown, (enum measure)view->values->measure);
	return 0;
}

static void add_runs(const struct compare_view *view, struct head *head, enum compare_side side,
		     const char *label, const char *key)
{
	const struct strvec *runs = &view->sides.runs[side];

	head_label(head, label);
	if (runs->nr == 1)
		head_text(head, key, runs->v[0]);
	else
		head_wordsf(head, "%zu runs", runs->nr);
	head_words(head, "\n");
}

/* What the head says of a measure of the whole build. */
struct build_line {
	enum measure measure;
	const char *label, *base, *new, *verdict; /* keys of the facts */
};

static void add_build(const struct compare_view *view, const struct build_line *line,
		      struct head *head)
{
	struct compare_change change = comparison_change(&view->build.comparison, 0, line->measure);
	enum column_type type = measure_is_bytes(line->measure) ? COLUMN_BYTES : COLUMN_DURATION;

	if (change.base == MEASURE_UNKNOWN || change.new == MEASURE_UNKNOWN)
		return;
	head_label(head, line->label);
	head_number(head, line->base, type, change.base);
	head_words(head, " -> ");
	head_number(head, line->new, type, change.new);
	head_wordsf(head, "%s: ", line->measure == MEASURE_OWN_PEAK ? " of the whole build" : "");
	if (change.delta)
		compare_add_change(&head->lines, line->measure, change.delta);
	else
		head_words(head, "no change");
	if (change.delta && change.relative) {
		head_words(head, ", ");
		compare_add_percent(&head->lines, change.percent);
	}
	if (view->judgement.build.v && view->judgement.build.v[line->measure].verdict) {
		head_words(head, ": ");
		compare_add_verdict(&head->lines, &view->judgement.build.v[line->measure]);
		head_keep_text(head, line->verdict,
			       verdict_names[view->judgement.build.v[line->measure].verdict]);
	}
	head_words(head, "\n");
}

static void add_split(const struct compare_view *view, struct head *head)
{
	if (!view->split_known)
		return;
	head_label(head, "");
	compare_add_split_of_runs(&head->lines, &view->split);
	head_keep_number(head, "growth_bytes", view->split.bytes.growth);
	head_keep_number(head, "overlap_bytes", view->split.bytes.overlap);
	head_keep_number(head, "rest_bytes", view->split.bytes.rest);
	head_keep_text(head, "split_base", view->split.runs[SIDE_BASE]);
	head_keep_text(head, "split_new", view->split.runs[SIDE_NEW]);
	head_words(head, "\n");
}

static void make_head(const struct compare_view *view, struct head *head)
{
	static const struct build_line peak = { MEASURE_OWN_PEAK, "peak", "base_peak_bytes",
						"new_peak_bytes", "peak_verdict" };
	static const struct build_line others[] = {
		{ MEASURE_SIZE, "size", "base_size_bytes", "new_size_bytes", "size_verdict" },
		{ MEASURE_CPU, "cpu", "base_cpu_ns", "new_cpu_ns", "cpu_verdict" },
		{ MEASURE_WALL, "wall", "base_wall_ns", "new_wall_ns", "wall_verdict" },
	};

	add_runs(view, head, SIDE_BASE, "base", "base");
	add_runs(view, head, SIDE_NEW, "new", "new");
	head_keep_number(head, "base_runs", (int64_t)view->sides.runs[SIDE_BASE].nr);
	head_keep_number(head, "new_runs", (int64_t)view->sides.runs[SIDE_NEW].nr);
	add_build(view, &peak, head);
	add_split(view, head);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		add_build(view, &others[i], head);
	head_keep_texts(head, "warnings", &view->warnings);
}

static bool shows_all(const struct compare_effect *effect)
{
	return effect->percent <= 0 && !effect->bytes && !effect->ns;
}

/* Text and formats for people show what changed. */
static size_t leave_out(const struct compare_view *view, struct compare_rows *rows)
{
	if (shows_all(&view->effect))
		return 0;
	return compare_rows_leave_out(rows, (enum measure)view->values->measure, &view->effect);
}

static int print_table(const struct compare_view *view, struct compare_rows *rows,
		       struct compare_table *table, struct table_options *options, struct err *err)
{
	struct head head = HEAD_INIT;
	int rc;

	if (options->format == TABLE_TEXT && !options->columns) {
		options->zeros = leave_out(view, rows);
		options->zeros_what = "changed less, or by nothing";
	}
	if (options->format == TABLE_TEXT || view->values->view.head) {
		make_head(view, &head);
		options->head = &head;
	}
	compare_table_fit(table, rows);
	rc = view_print_table(&view->values->view, &table->table, options, rows->pointers, rows->nr,
			      err);
	head_release(&head);
	return rc;
}

static int write_format(const struct compare_view *view, struct compare_rows *rows, struct err *err)
{
	char *base = compare_side_name(&view->sides, SIDE_BASE);
	char *new = compare_side_name(&view->sides, SIDE_NEW);
	struct compare_report report = {
		.base = base,
		.new = new,
		.keys = &view->keys,
		.measure = (enum measure)view->values->measure,
		.rows = rows,
		.build = &view->build.comparison,
		.build_verdicts = &view->judgement.build,
		.split = view->split_known ? &view->split : NULL,
		.gates = view->judged,
		.gates_nr = view->gates.gates.nr,
		.warnings = &view->warnings,
	};
	int rc;

	if (view->format->changes)
		report.left_out = leave_out(view, rows);
	rc = compare_write_format(view->format, &report, &view->values->view, err);
	free(base);
	free(new);
	return rc;
}

static int print(const struct compare_view *view, struct compare_table *table,
		 struct table_options *options, struct err *err)
{
	struct compare_rows rows;
	int rc;

	compare_rows_init(&rows, &view->shown.comparison, &view->judgement.shown, &view->keys,
			  (enum measure)view->values->measure);
	if (!rows.nr)
		message_print("note: ", "no process matches the filters in any run");
	rc = view->format ? write_format(view, &rows, err)
			  : print_table(view, &rows, table, options, err);
	compare_rows_release(&rows);
	return rc;
}

static void view_release(struct compare_view *view)
{
	compare_sides_release(&view->sides);
	gate_specs_release(&view->gates);
	free(view->judged);
	compare_judgement_release(&view->judgement);
	compare_hidden_release(&view->hidden);
	compare_spec_release(&view->shown);
	compare_spec_release(&view->build);
	comparison_release(&view->units);
	process_filter_release(&view->filter);
	strvec_release(&view->warnings);
}

static void init_specs(struct compare_view *view)
{
	static const struct process_filter all = PROCESS_FILTER_INIT;

	compare_spec_init(&view->shown, view->keys.by, view->keys.nr, &view->filter);
	view->shown.full_names = view->values->full_names;
	view->keys.stacks = &view->shown.stacks;
	for (size_t i = 0; i < view->keys.nr; i++)
		view->keys.place[i] = compare_text_place(&view->shown, view->keys.by[i]);
	compare_spec_init(&view->build, NULL, 0, &all);
	comparison_init(&view->units, UNIT_TEXTS);
	compare_hidden_init(&view->hidden, &view->shown);
	compare_judgement_init(&view->judgement, &view->shown,
			       compare_sides_has_verdicts(&view->sides));
}

/* The gates of the options, or else those that the first new run was recorded with. */
static int get_gates(struct compare_view *view, struct err *err)
{
	struct gates kept = GATES_INIT;

	if (view->values->fail_if.nr)
		return gate_specs_init(&view->gates, &view->values->fail_if, true, err);
	run_settings_gates(view->sides.runs[SIDE_NEW].v[0], &kept);
	gate_specs_init_kept(&view->gates, &kept);
	return 0;
}

/* Rows may say that a crate grew, and its gate that it did not. */
static void note_filters(const struct compare_view *view)
{
	const struct process_filter *filter = &view->filter;

	if (view->gates.gates.nr &&
	    (process_filter_has_names(filter) || filter->from_ns > 0 || filter->to_ns != INT64_MAX))
		message_print("note: ", "gates are of whole recordings: filters and --time leave "
					"out rows only; of the compilers of a crate alone is "
					"'compile:NAME.' (docs/gates.md)");
}

/* Stacks have no time on the clock: nothing would have changed. Data are only in another order. */
static int check_metric(const struct compare_view *view, const struct table_options *options,
			struct err *err)
{
	bool stacks = false,
	     shows = view->format ? view->format->changes : options->format == TABLE_TEXT;

	for (size_t i = 0; i < view->keys.nr; i++)
		stacks = stacks || group_by_stacks(view->keys.by[i]);
	if (stacks && shows && view->values->measure == MEASURE_WALL)
		return err_set(err, ERR_USAGE,
			       "phases, queries, functions and stacks have no --metric wall: give "
			       "cpu");
	return 0;
}

/* All but the runs, and their gates. */
static int check_choices(struct compare_view *view, struct compare_table *table,
			 struct table_options *options, struct err *err)
{
	const struct compare_values *values = view->values;
	enum measure measure = (enum measure)values->measure;
	int choice;

	if (min_effect_get(values->min_effect, &view->effect, err) ||
	    result_file_format(values->view.output, &compare_formats, values->view.format, &choice,
			       err))
		return -1;
	view->format = compare_chosen_format(choice);
	if (get_keys(&values->by, view->format, &view->keys, err) ||
	    view_get_filter(&values->view, &view->filter, err))
		return -1;
	compare_table_init(table, &view->keys, measure);
	if (view->format
		    ? compare_check_format(view->format, &values->view, &view->keys, measure, err)
		    : view_get_table_options(&values->view, &table->table, options, err))
		return -1;
	return check_metric(view, options, err);
}

static int check_options(struct compare_view *view, struct compare_table *table,
			 struct table_options *options, struct err *err)
{
	const struct compare_values *values = view->values;

	return compare_sides_get(&view->sides, "compare", &values->view.traces, &values->new,
				 values->db, err) ||
			       check_choices(view, table, options, err) || get_gates(view, err)
		       ? -1
		       : 0;
}

/* Whether growth and overlap are printed: of several runs a side they take time. */
static bool shows_split(const struct compare_view *view, const struct table_options *options)
{
	return compare_sides_is_pair(&view->sides) || gates_are_of_peak(&view->gates.gates) ||
	       (view->format ? view->format->splits
			     : options->format == TABLE_TEXT || view->values->view.head);
}

/* Returns an exit code, or -1. */
static int compare(struct compare_view *view, struct compare_table *table,
		   struct table_options *options, struct err *err)
{
	struct compare_runs runs;

	init_specs(view);
	if (read_runs(view, err))
		return -1;
	runs = compare_sides_runs(&view->sides);
	if (compare_judge(&view->judgement, &view->shown, &view->build, &view->effect, &runs,
			  view->values->db, err))
		return -1;
	compare_hidden_say(&view->hidden, &view->shown, &view->judgement.shown, &view->effect);
	view->judged = gates_evaluate(&view->gates, &runs);
	view->split_known =
		shows_split(view, options) &&
		compare_sides_split(&view->sides, &view->build.comparison, &view->split);
	if (print(view, table, options, err))
		return -1;
	note_filters(view);
	return gates_say(view->judged, view->gates.gates.nr, &runs,
			 view->split_known ? &view->split : NULL);
}

#define COMPARE_VIEW_INIT(v) \
	{ \
		.values = (v), .filter = PROCESS_FILTER_INIT, .warnings = STRVEC_INIT, \
		.hidden = { .filter = PROCESS_FILTER_INIT }, .sides = COMPARE_SIDES_INIT, \
		.gates = { \
			.gates = GATES_INIT \
		} \
	}

static int run_compare(const void *data, struct err *err)
{
	struct compare_view view = COMPARE_VIEW_INIT(data);
	struct table_options options;
	struct compare_table table = { .text = NULL };
	int rc = check_options(&view, &table, &options, err);

	message_keep(&view.warnings, NULL);
	if (!rc)
		rc = compare(&view, &table, &options, err);
	/* What fails before gates are read is not what they ask either. */
	if (rc < 0 && (view.gates.gates.nr || view.values->fail_if.nr))
		rc = gates_failed(view.values->fail_if.nr + view.gates.gates.nr, err);
	message_keep(NULL, NULL);
	compare_table_release(&table);
	view_release(&view);
	return rc;
}

static int check_compare(const void *data, struct err *err)
{
	struct compare_values values = *(const struct compare_values *)data;
	struct compare_view view = COMPARE_VIEW_INIT(&values);
	struct table_options options;
	struct compare_table table = { .text = NULL };
	int rc;

	/* Messages until it runs are not its own. */
	values.view.quiet = false;
	if (values.view.traces.nr != 1 || values.new.nr)
		rc = err_set(err, ERR_USAGE, "'%s' is no option of compare",
			     values.view.traces.v[0]);
	else
		rc = check_choices(&view, &table, &options, err) ||
				     gate_specs_init(&view.gates, &values.fail_if, true, err)
			     ? -1
			     : 0;
	compare_table_release(&table);
	view_release(&view);
	return rc;
}

const struct command compare_command = {
	.name = "compare",
	.summary = "compare runs: what grew and what shrank, by part, crate, phase, ...",
	.details = "Processes are joined by what they build, never by ids or paths. Of the whole "
		   "build's peak the head says how much of its change is growth, of what "
		   "processes held, and how much is overlap, of who ran together.",
	.syntax = { groups, args, sizeof(struct compare_values) },
	.table = &compare_help_table,
	.examples = { { "Which crates need more memory than before?",
			"stagetrace compare base new" },
		      { "In which functions does a crate spend its time now?",
			"stagetrace compare base new --by function --metric cpu --crate "
			"rustc_middle" },
		      { "Where did memory at the peaks of crates grow? A picture",
			"stagetrace compare base new --format svg -o grown.svg" } },
	.run = run_compare,
	.check = check_compare,
};
