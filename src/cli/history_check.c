/*
 * `history check`: where the level of a series changed, and the gates of the newest run.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/gates.h"
#include "cli/history_actions.h"
#include "cli/history_gates.h"
#include "cli/message.h"
#include "cli/min_effect.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/wrap.h"

/* Values of phases and functions vary too much: they are looked at if they are named. */
static const enum history_kind checked_kinds[] = { HISTORY_BUILD, HISTORY_PART, HISTORY_PART_ROLE,
						   HISTORY_CRATE };
static const enum measure checked_measures[] = { MEASURE_OWN_PEAK, MEASURE_SIZE, MEASURE_CPU,
						 MEASURE_WALL };

enum finding { GREW, SHRANK, MAY_HAVE_GROWN, MAY_HAVE_SHRUNK, DRIFTS, ALTERNATES };

static const char *const finding_names[] = { "grew",           "shrank",
					     "may have grown", "may have shrunk",
					     "drifts",         "alternates" };

/* Of the machine, that other programs took: as compare warns of. */
#define FOREIGN_PERMILLE 50

/* A row. */
struct found {
	enum finding finding;
	enum measure measure;
	char *what;
	const struct history_series *series;
	int64_t before, after;
	const struct history_run *last, *first; /* of the old level and of the new one */
	size_t runs;                            /* of the new level */
	double strength;
	size_t place; /* as it was found: by series, then by metric */
};

struct check {
	const struct history_values *values;
	struct compare_effect effect;
	struct gate_specs gates;
	struct history_scope scope;
	struct history_series_list series; /* that are looked at */
	struct found *found;
	size_t found_nr, found_alloc;
	bool grew;
};

static void get_finding(const void *row, struct cell *cell)
{
	cell_set_text(cell, finding_names[((const struct found *)row)->finding]);
}

static void get_what(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct found *)row)->what);
}

static void get_metric(const void *row, struct cell *cell)
{
	cell_set_text(cell, measure_kept_names[((const struct found *)row)->measure]);
}

static void set_value(const void *row, int64_t value, bool text, struct cell *cell)
{
	if (!text) {
		cell_set_number(cell, value);
		return;
	}
	table_add_number(&cell->scratch, history_type(((const struct found *)row)->measure), value);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_before(const void *row, struct cell *cell)
{
	set_value(row, ((const struct found *)row)->before, false, cell);
}

static void get_before_text(const void *row, struct cell *cell)
{
	set_value(row, ((const struct found *)row)->before, true, cell);
}

static void get_after(const void *row, struct cell *cell)
{
	set_value(row, ((const struct found *)row)->after, false, cell);
}

static void get_after_text(const void *row, struct cell *cell)
{
	set_value(row, ((const struct found *)row)->after, true, cell);
}

static double percent_of(const struct found *found)
{
	return 100.0 * ((double)found->after - (double)found->before) / (double)found->before;
}

static void get_percent(const void *row, struct cell *cell)
{
	const struct found *found = row;

	if (found->before > 0)
		cell_set_percent(cell, percent_of(found));
}

static void get_runs(const void *row, struct cell *cell)
{
	cell_set_number(cell, (int64_t)((const struct found *)row)->runs);
}

static void get_first(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct found *)row)->first->name);
}

static void get_last(const void *row, struct cell *cell)
{
	cell_set_text(cell, ((const struct found *)row)->last->name);
}

/* As git log takes it; unknown if either is. */
static void add_commits(const struct found *found, int digits, struct cell *cell)
{
	const char *from = found->last->commit, *to = found->first->commit;

	if (!*from || !*to || found->finding == ALTERNATES)
		return;
	if (!strcmp(from, to))
		strbuf_addf(&cell->scratch, "%.*s", digits, from);
	else
		strbuf_addf(&cell->scratch, "%.*s..%.*s", digits, from, digits, to);
	cell_set_text(cell, cell->scratch.buf);
}

static void get_commits(const void *row, struct cell *cell)
{
	add_commits(row, 64, cell);
}

static void get_commits_text(const void *row, struct cell *cell)
{
	add_commits(row, 9, cell);
}

/* What else was not the same before and after. */
static void get_others(const void *row, struct cell *cell)
{
	const struct found *found = row;
	const struct history_run *a = found->last, *b = found->first;
	const struct {
		const char *what, *before, *after;
	} facts[] = {
		{ "settings", a->settings, b->settings },
		{ "kernel", a->kernel, b->kernel },
		{ "cpu", a->cpu, b->cpu },
		{ "recorder", a->recorder, b->recorder },
		{ "stagetrace", a->version, b->version },
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (strcmp(facts[i].before, facts[i].after) != 0)
			strbuf_addf(&cell->scratch, "%s%s", cell->scratch.len ? ", " : "",
				    facts[i].what);
	}
	if (cell->scratch.len)
		cell_set_text(cell, cell->scratch.buf);
}

static const struct column columns[] = {
	{ "finding", "FINDING",
	  "grew, shrank; may have, if the change is weak; drifts, alternates, if the series has no "
	  "levels",
	  COLUMN_TEXT, SHOW_DATA, false, get_finding, NULL },
	{ "metric", "METRIC", "of what", COLUMN_TEXT, SHOW_DATA, false, get_metric, NULL },
	{ "what", "WHAT", "the series", COLUMN_TEXT, SHOW_DATA, true, get_what, NULL },
	{ "before", "BEFORE", "the old level: bytes or nanoseconds", COLUMN_INT, SHOW_DATA, false,
	  get_before, get_before_text },
	{ "after", "AFTER", "the new level", COLUMN_INT, SHOW_DATA, false, get_after,
	  get_after_text },
	{ "percent", "CHANGE", "of the old level", COLUMN_PERCENT, SHOW_DATA, false, get_percent,
	  NULL },
	{ "runs", "RUNS", "of the new level", COLUMN_INT, SHOW_DATA, false, get_runs, NULL },
	{ "last_run", "LAST RUN", "the last of the old level", COLUMN_TEXT, SHOW_DATA, false,
	  get_last, NULL },
	{ "first_run", "FIRST RUN", "the first of the new level", COLUMN_TEXT, SHOW_DATA, false,
	  get_first, NULL },
	{ "commits", "COMMITS", "between them: for `git log`", COLUMN_TEXT, SHOW_DATA | SHOW_WHOLE,
	  false, get_commits, get_commits_text },
	{ "others", "ALSO CHANGED", "what else is not the same in both runs", COLUMN_TEXT,
	  SHOW_DATA | SHOW_IF_KNOWN, false, get_others, NULL },
};

static const struct table check_table = {
	.columns = columns,
	.columns_nr = ARRAY_SIZE(columns),
	.text_columns = "finding,metric,what,before,after,percent,runs,commits,others",
};

/* `last` and `first` are values: of the old level and of the new one. */
static void add_found(struct check *check, const struct history_series *series,
		      const struct history_trend *trend, struct found found, size_t last,
		      size_t first)
{
	struct strbuf what = STRBUF_INIT;

	history_series_name(series, &what);
	found.what = strbuf_detach(&what);
	found.series = series;
	found.place = check->found_nr;
	found.last = &check->scope.runs.v[trend->runs[last]];
	found.first = &check->scope.runs.v[trend->runs[first]];
	check->grew = check->grew || found.finding == GREW;
	ARRAY_ADD(check->found, check->found_nr, check->found_alloc, found);
}

static bool reaches(const struct check *check, const struct found *found)
{
	struct compare_change change = { .base = found->before,
					 .new = found->after,
					 .delta = wrap_subtract(found->after, found->before),
					 .relative = found->before > 0 };

	if (change.relative)
		change.percent = percent_of(found);
	return compare_effect_reached(&check->effect, found->measure, &change);
}

static void add_changes(struct check *check, const struct history_series *series,
			enum measure measure, const struct history_trend *trend)
{
	const struct levels *levels = &trend->levels;

	for (size_t i = 1; i < levels->nr; i++) {
		struct found found = { .measure = measure,
				       .before = levels->v[i - 1].value,
				       .after = levels->v[i].value,
				       .runs = levels->v[i].nr,
				       .strength = levels->v[i].strength };
		bool alarm = found.strength >= LEVEL_ALARM, up = found.after > found.before;

		if (found.strength < LEVEL_SUSPECT || !reaches(check, &found))
			continue;
		found.finding =
			alarm ? (up ? GREW : SHRANK) : (up ? MAY_HAVE_GROWN : MAY_HAVE_SHRUNK);
		add_found(check, series, trend, found, levels->v[i].start - 1, levels->v[i].start);
	}
}

/* A series that has no levels is said to be such, if that reaches the effect. */
static void add_shape(struct check *check, const struct history_series *series,
		      enum measure measure, const struct history_trend *trend)
{
	const struct levels *levels = &trend->levels;
	const struct level *last = levels->nr ? &levels->v[levels->nr - 1] : NULL;
	struct found found = { .measure = measure, .runs = last ? last->nr : 0 };
	size_t from, to;

	if (!last || levels->shape == LEVELS_STEADY)
		return;
	from = to = last->start;
	if (levels->shape == LEVELS_DRIFT) {
		to = trend->nr - 1;
		found.finding = DRIFTS;
		found.before = trend->values[last->start];
		found.after = series_whole((double)found.before * (1 + levels->drift));
	} else {
		found.finding = ALTERNATES;
		from -= from > 0;
		found.before = levels->modes[0];
		found.after = levels->modes[1];
	}
	if (reaches(check, &found))
		add_found(check, series, trend, found, from, to);
}

static void look_at(struct check *check, const struct history_series *series, enum measure measure,
		    const struct history_points *points)
{
	struct history_points copy = { NULL, points->nr, points->nr };
	struct history_trend trend;

	copy.v = xcalloc(points->nr + 1, sizeof(*copy.v));
	if (points->nr)
		memcpy(copy.v, points->v, points->nr * sizeof(*copy.v));
	history_trend_make(&check->scope, series->id, measure, &copy, &trend);
	add_changes(check, series, measure, &trend);
	add_shape(check, series, measure, &trend);
	history_trend_release(&trend);
}

static int look_at_series(struct check *check, const struct history_series *series, struct err *err)
{
	struct history_points points = { NULL, 0, 0 };
	int rc = history_get_points(check->scope.db, series->id, check->scope.runs.v[0].time_ms, 0,
				    &points, err);

	for (size_t i = 0; i < ARRAY_SIZE(checked_measures) && !rc; i++) {
		if (check->values->metric < 0 || check->values->metric == (int)checked_measures[i])
			look_at(check, series, checked_measures[i], &points);
	}
	history_points_release(&points);
	return rc;
}

static int get_series(struct check *check, struct err *err)
{
	struct history_scope *scope = &check->scope;

	if (history_names_series(check->values))
		return history_scope_series(check->values, scope, &check->series, err);
	for (size_t i = 0; i < ARRAY_SIZE(checked_kinds); i++) {
		if (history_get_series(scope->db, scope->config, scope->host, checked_kinds[i],
				       NULL, &check->series, err))
			return -1;
	}
	return 0;
}

/* The gates of the options, or else those that the newest run was recorded with. */
static void get_gates(struct check *check)
{
	const struct history_runs *runs = &check->scope.runs;
	struct gates kept = GATES_INIT;

	if (check->values->fail_if.nr || !runs->nr)
		return;
	gates_add_kept(&kept, runs->v[runs->nr - 1].gates);
	gate_specs_init_kept(&check->gates, &kept);
}

/* The strongest first; of equal ones, as of a part with one crate, in the order of series. */
static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->finding != y->finding)
		return x->finding < y->finding ? -1 : 1;
	if (x->strength != y->strength)
		return x->strength < y->strength ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static void say_nothing(const struct check *check)
{
	const struct history_scope *scope = &check->scope;
	size_t nr = scope->runs.nr;

	if (nr < 2 * LEVEL_LEAST)
		message_printf("note: ",
			       "levels are not looked at: %zu run%s of '%s' on '%s', and %d are "
			       "needed",
			       nr, nr == 1 ? "" : "s", scope->config, scope->host, 2 * LEVEL_LEAST);
	else
		message_printf(
			"note: ", "no level changed in %zu runs of '%s' on '%s' (%zu series)", nr,
			scope->config, scope->host, check->series.nr);
}

/* Times change with what else takes the machine. */
static void warn_of_load(const struct check *check)
{
	const struct history_runs *runs = &check->scope.runs;
	size_t times = 0, loaded = 0;

	for (size_t i = 0; i < check->found_nr; i++)
		times += check->found[i].measure == MEASURE_WALL ||
			 check->found[i].measure == MEASURE_CPU;
	for (size_t i = 0; i < runs->nr; i++)
		loaded += runs->v[i].foreign_permille > FOREIGN_PERMILLE;
	if (times && loaded)
		message_printf(
			"warning: ",
			"other programs took more than %d%% of the machine in %zu of %zu runs: "
			"times may have changed with that",
			FOREIGN_PERMILLE / 10, loaded, runs->nr);
}

static int print(const struct check *check, const struct table_options *options, struct err *err)
{
	const void **pointers = xcalloc(check->found_nr + 1, sizeof(*pointers));
	int rc;

	if (check->found_nr)
		qsort(check->found, check->found_nr, sizeof(*check->found), compare_found);
	for (size_t i = 0; i < check->found_nr; i++)
		pointers[i] = &check->found[i];
	if (!check->found_nr)
		say_nothing(check);
	warn_of_load(check);
	rc = check->found_nr || options->format != TABLE_TEXT
		     ? view_print_table(&check->values->view, &check_table, options, pointers,
					check->found_nr, err)
		     : 0;
	free(pointers);
	return rc;
}

/* The newest run cannot be judged, or there are too few runs. Returns the exit code for that. */
static int say_undecided(const struct check *check)
{
	size_t nr = check->scope.runs.nr;

	if (check->scope.doubt)
		message_printf("", "cannot tell: %s", check->scope.doubt);
	else
		message_printf("", "cannot tell: %zu run%s, and %d are needed", nr,
			       nr == 1 ? "" : "s", 2 * LEVEL_LEAST);
	return EXIT_CODE_UNDECIDED;
}

/* Returns an exit code, or -1. */
static int run_check(struct check *check, const struct table_options *options, struct err *err)
{
	size_t nr;
	int code;

	if (history_scope_open(check->values, &check->scope, err))
		return -1;
	get_gates(check);
	nr = check->scope.runs.nr;
	if (nr < 2 * LEVEL_LEAST && !check->gates.gates.nr)
		return say_undecided(check);
	if (!nr)
		return err_set(err, ERR_FAILED, "all runs failed");
	if (get_series(check, err))
		return -1;
	for (size_t i = 0; i < check->series.nr; i++) {
		if (look_at_series(check, &check->series.v[i], err))
			return -1;
	}
	if (print(check, options, err))
		return -1;
	code = history_gates_judge(&check->scope, &check->gates.gates, err);
	if (code >= 0 && check->grew) {
		if (check->scope.doubt && !check->gates.gates.nr)
			message_printf("note: ", "%s", check->scope.doubt);
		return EXIT_CODE_GATE;
	}
	return !code && check->scope.doubt ? say_undecided(check) : code;
}

int history_run_check(const struct history_values *values, const struct strvec *args,
		      struct err *err)
{
	struct check check = { .values = values, .gates = { .gates = GATES_INIT } };
	struct table_options options;
	int rc = -1;

	if (args->nr)
		return err_set(err, ERR_USAGE, "`history check` takes no arguments");
	if (!min_effect_get(values->min_effect, &check.effect, err) &&
	    !view_get_table_options(&values->view, &check_table, &options, err) &&
	    !gate_specs_init(&check.gates, &values->fail_if, true, err))
		rc = run_check(&check, &options, err);
	if (rc >= 0)
		rc = gates_end_output(rc);
	else
		rc = gates_failed(values->fail_if.nr + check.gates.gates.nr, err);
	for (size_t i = 0; i < check.found_nr; i++)
		free(check.found[i].what);
	free(check.found);
	history_series_release(&check.series);
	gate_specs_release(&check.gates);
	history_scope_release(&check.scope);
	return rc;
}
