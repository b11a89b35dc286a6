#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/gates.h"
#include "cli/history_actions.h"
#include "cli/history_run.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/terminal.h"
#include "report/history_view.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"

static const char *format_name(size_t i)
{
	static const char *const pictures[] = { "svg", "html" };

	return i < TREND_SVG                          ? table_format_name(i)
	       : i - TREND_SVG < ARRAY_SIZE(pictures) ? pictures[i - TREND_SVG]
						      : NULL;
}

static const char *format_ending(size_t i)
{
	return i < TREND_SVG ? table_format_ending(i) : i == TREND_SVG ? ".svg" : ".html";
}

const struct opt_choices history_formats = { .name = format_name, .ending = format_ending };

static const struct opt place_rows[] = {
	{ 0, "db", OPT_STRING, "PLACE",
	  "the data base: a file, or postgresql://USER@HOST/NAME; by default that of the "
	  "environment variable STAGETRACE_HISTORY, or runs/history.sqlite",
	  offsetof(struct history_values, db), NULL },
	{ 0, "config", OPT_STRING, "NAME",
	  "runs of the configuration of this name; by default that of the newest run",
	  offsetof(struct history_values, config), NULL },
	{ 0, "host", OPT_STRING, "HOST", "runs that this machine recorded; the same",
	  offsetof(struct history_values, host), NULL },
	{ 0, "last", OPT_NUMBER, "N",
	  "only the newest N runs; of `show` and `check` by default 365",
	  offsetof(struct history_values, last), NULL },
	{ 0, "since", OPT_STRING, "DATE", "only runs from this day or time on, in UTC",
	  offsetof(struct history_values, since), NULL },
	{ 0, "before", OPT_STRING, "DATE", "only runs before this day or time; those to prune",
	  offsetof(struct history_values, before), NULL },
	OPT_END,
};

static const struct opt series_rows[] = {
	{ 0, "part", OPT_STRING, "PART", "of this part", offsetof(struct history_values, part),
	  NULL },
	{ 0, "role", OPT_STRING, "ROLE", "of processes of this role",
	  offsetof(struct history_values, role), NULL },
	{ 0, "crate", OPT_STRING, "CRATE", "of the compilers of this crate",
	  offsetof(struct history_values, crate), NULL },
	{ 0, "type", OPT_STRING, "TYPE", "of this crate type",
	  offsetof(struct history_values, crate_type), NULL },
	{ 0, "whole", OPT_FLAG, NULL,
	  "of all processes of the crate, its build script and its linkers too, as gates count",
	  offsetof(struct history_values, whole), NULL },
	{ 0, "phase", OPT_STRING, "PHASE", "of this phase", offsetof(struct history_values, phase),
	  NULL },
	{ 0, "function", OPT_STRING, "FUNCTION", "of this function of a crate",
	  offsetof(struct history_values, function), NULL },
	{ 0, "metric", OPT_GIVEN, "METRIC",
	  "what `check` looks at and `acknowledge` is about: own-peak, size, cpu or wall; by "
	  "default all",
	  offsetof(struct history_values, metric), OPT_WORDS(measure_names) },
	OPT_END,
};

static const struct opt action_rows[] = {
	{ 0, "bundle", OPT_STRING, "DIR",
	  "of `show`: list the runs, and where below this folder or URL their bundles are",
	  offsetof(struct history_values, bundles), NULL },
	{ 0, "min-effect", OPT_STRING, "PERCENT,SIZE,TIME",
	  "of `check`: the smallest change that counts, as 1%,1MB,0.5s (the default)",
	  offsetof(struct history_values, min_effect), NULL },
	FAIL_IF_OPTION(offsetof(struct history_values, fail_if),
		       ", of `check`: of the newest run against the 30 before it; by default those "
		       "of [compare] in its config.ini"),
	{ 0, "note", OPT_STRING, "TEXT", "of `acknowledge`: why the change is fine",
	  offsetof(struct history_values, note), NULL },
	{ 0, "keep", OPT_STRING, "TIME", "of `prune`: keep the runs of the last, as '400 days'",
	  offsetof(struct history_values, keep), NULL },
	OPT_END,
};

static const struct opt output_rows[] = {
	{ 0, "format", OPT_GIVEN, "FORMAT",
	  "text, json, jsonl or csv, of `show` also svg or html; without it what the name of FILE "
	  "says, or text",
	  offsetof(struct history_values, view.format), &history_formats },
	VIEW_TABLE_OPTIONS,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Which history, which runs", place_rows, 0 },
	{ "Which values", series_rows, 0 },
	{ "Actions", action_rows, 0 },
	{ "Output", output_rows, 0 },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "ACTION", "add, list, show, check, acknowledge, export or prune", false, OPT_MANY,
	  offsetof(struct history_values, view.traces) },
	OPT_ARG_END,
};

int history_open_place(const struct history_values *values, enum db_access access,
		       struct database **db, struct err *err)
{
	char *place = history_place(values->db);
	uint64_t bytes = cost_of_file(place);
	int rc;

	if (bytes && access == DB_READ)
		cost_limit(place, bytes);
	rc = history_open(place, access, db, err);
	free(place);
	return rc;
}

static int get_filter(const struct history_values *values, struct history_filter *filter,
		      struct err *err)
{
	*filter = (struct history_filter){ .config = values->config,
					   .host = values->host,
					   .last = values->last };
	return history_get_date("since", values->since, &filter->from_ms, err) ||
			       history_get_date("before", values->before, &filter->to_ms, err)
		       ? -1
		       : 0;
}

/* What the history has of the name, the configuration and the host of a run. */
enum presence { PRESENT_NOT, PRESENT, PRESENT_OTHER };

/*
 * A run that is there already is not played, but for one that failed and was recovered. Names have the second of the start:
 * of two recordings they may be equal.
 */
static int find_present(struct database *db, const struct history_run *run, enum presence *presence,
			struct err *err)
{
	const struct history_filter filter = { .config = run->config,
					       .host = run->host ? run->host : "",
					       .name = run->name };
	struct history_runs runs = { NULL, 0, 0 };
	int rc = history_get_runs(db, &filter, &runs, err);

	*presence = !runs.nr                            ? PRESENT_NOT
		    : runs.v[0].time_ms != run->time_ms ? PRESENT_OTHER
		    : runs.v[0].failed && !run->failed  ? PRESENT_NOT
							: PRESENT;
	history_runs_release(&runs);
	return rc;
}

static int refuse_other(const struct history_run *run, struct err *err)
{
	return err_set(err, ERR_FAILED,
		       "the history has another recording that is called '%s', also of '%s' on "
		       "'%s', which began at another moment: machines need host names of their "
		       "own, or their recordings other [run] names",
		       run->name, run->config, run->host ? run->host : "");
}

/* What `history add` puts runs into: opened once one can be read. */
struct adding {
	const struct history_values *values;
	struct database *db;
	bool broken; /* it is the data base that failed */
};

static int add_reading(struct adding *adding, const char *path, struct history_reading *reading,
		       struct err *err)
{
	enum presence presence;
	bool added = false;

	adding->broken = true;
	if ((!adding->db && history_open_place(adding->values, DB_WRITE, &adding->db, err)) ||
	    find_present(adding->db, &reading->run, &presence, err))
		return -1;
	adding->broken = false;
	if (presence == PRESENT_NOT && history_run_read(path, reading, err))
		return -1;
	adding->broken = true;
	if (presence == PRESENT_NOT &&
	    history_add(adding->db, &reading->run, reading->rows, reading->nr, &added, err))
		return -1;
	/* Another program may have added one meanwhile. */
	if (presence == PRESENT_NOT && !added &&
	    find_present(adding->db, &reading->run, &presence, err))
		return -1;
	adding->broken = false;
	if (presence == PRESENT_OTHER)
		return refuse_other(&reading->run, err);
	if (added)
		print_textf(stdout, "added %s: %zu series\n", reading->run.name, reading->nr);
	else
		print_textf(stdout, "%s is there already\n", reading->run.name);
	return 0;
}

static int add_one(struct adding *adding, const char *path, struct err *err)
{
	struct history_reading reading;
	int rc;

	adding->broken = false;
	rc = history_run_read_facts(path, &reading, err);
	if (!rc)
		rc = add_reading(adding, path, &reading, err);
	history_reading_release(&reading);
	return rc;
}

/* A run that cannot be read does not keep others out, as an interrupted one among those of a month. */
int history_run_add(const struct history_values *values, const struct strvec *runs, struct err *err)
{
	struct adding adding = { values, NULL, false };
	size_t failed = 0;
	int rc = 0;

	if (!runs->nr)
		return err_set(err, ERR_USAGE, "`history add` takes runs: directories or bundles");
	for (size_t i = 0; i < runs->nr && !rc; i++) {
		rc = add_one(&adding, runs->v[i], err);
		if (!rc || adding.broken || runs->nr == 1)
			continue;
		message_print("", err->msg);
		err_clear(err);
		failed++;
		rc = 0;
	}
	database_close(adding.db);
	if (failed && !rc)
		rc = err_set(err, ERR_FAILED, "%zu of %zu runs could not be added, see above",
			     failed, runs->nr);
	return rc;
}

static int no_arguments(const char *action, const struct strvec *arguments, struct err *err)
{
	return arguments->nr ? err_set(err, ERR_USAGE, "`history %s` takes no arguments", action)
			     : 0;
}

int history_run_list(const struct history_values *values, const struct strvec *arguments,
		     struct err *err)
{
	struct history_runs runs = { NULL, 0, 0 };
	struct history_filter filter;
	struct table_options options;
	struct database *db = NULL;
	const void **pointers = NULL;
	int rc = -1;

	if (no_arguments("list", arguments, err) ||
	    view_get_table_options(&values->view, &history_runs_table, &options, err) ||
	    get_filter(values, &filter, err) || history_open_place(values, DB_READ, &db, err))
		return -1;
	if (!history_get_runs(db, &filter, &runs, err)) {
		pointers = xcalloc(runs.nr + 1, sizeof(*pointers));
		for (size_t i = 0; i < runs.nr; i++)
			pointers[i] = &runs.v[i];
		rc = view_print_table(&values->view, &history_runs_table, &options, pointers,
				      runs.nr, err);
	}
	free(pointers);
	history_runs_release(&runs);
	database_close(db);
	return rc;
}

static const struct history_run *find_run(const struct history_scope *scope, const char *name,
					  struct err *err)
{
	for (size_t i = 0; i < scope->runs.nr; i++) {
		if (!strcmp(scope->runs.v[i].name, name))
			return &scope->runs.v[i];
	}
	err_set(err, ERR_NOT_FOUND, "'%s' on '%s' has no run '%s'", scope->config, scope->host,
		name);
	return NULL;
}

/* All series of the run, or those of a list, with one metric or all. */
static int write_acknowledged(const struct history_values *values, const struct history_run *run,
			      const struct history_series_list *list, struct err *err)
{
	size_t nr = list->nr ? list->nr : 1;
	struct history_acknowledged *changes = xcalloc(nr, sizeof(*changes));
	char *metric = xstrdup(values->metric < 0 ? "" : measure_names[values->metric]);
	char *note = xstrdup(values->note ? values->note : "");
	struct database *db = NULL;
	int rc;

	for (size_t i = 0; i < nr; i++)
		changes[i] = (struct history_acknowledged){ .series = list->nr ? list->v[i].id : 0,
							    .metric = metric,
							    .note = note };
	rc = history_open_place(values, DB_WRITE, &db, err);
	if (!rc)
		rc = history_acknowledge(db, run, changes, nr, err);
	database_close(db);
	free(metric);
	free(note);
	free(changes);
	return rc;
}

static int acknowledge(const struct history_values *values, const char *name, struct err *err)
{
	struct history_series_list list = { NULL, 0, 0 };
	const struct history_run *run = NULL;
	struct history_scope scope;
	int rc = history_scope_open(values, &scope, err);

	if (!rc) {
		run = find_run(&scope, name, err);
		rc = run ? 0 : -1;
	}
	if (!rc && history_names_series(values))
		rc = history_scope_series(values, &scope, &list, err);
	if (!rc)
		rc = write_acknowledged(values, run, &list, err);
	if (!rc)
		print_textf(stdout, "acknowledged: what changed in %s\n", name);
	history_series_release(&list);
	history_scope_release(&scope);
	return rc;
}

int history_run_acknowledge(const struct history_values *values, const struct strvec *arguments,
			    struct err *err)
{
	if (arguments->nr != 1)
		return err_set(
			err, ERR_USAGE,
			"`history acknowledge` takes the name of a run: FIRST RUN of `history "
			"check --columns finding,what,first_run`");
	return acknowledge(values, arguments->v[0], err);
}

struct export
{
	FILE *out;
	bool json, terminal;
	struct strbuf line;
};

static int export_row(void *data, const struct db_value *row, struct err *err)
{
	struct export *export = data;

	strbuf_clear(&export->line);
	if (export->json)
		history_add_json(row, &export->line);
	else
		history_add_csv(row, export->terminal, &export->line);
	return history_write(&export->line, export->out)
		       ? 0
		       : err_set(err, ERR_FAILED, "cannot write the results");
}

int history_run_export(const struct history_values *values, const struct strvec *arguments,
		       struct err *err)
{
	const struct view_values *view = &values->view;
	struct export export = { .line = STRBUF_INIT };
	struct history_filter filter;
	struct database *db = NULL;
	struct result_file file;
	int format, rc;

	if (no_arguments("export", arguments, err) ||
	    result_file_format(view->output, &history_formats, view->format, &format, err) ||
	    result_file_check(view->output, view->force, NULL, err) ||
	    get_filter(values, &filter, err))
		return -1;
	if (view->format >= 0 && format != TABLE_CSV && format != TABLE_JSONL)
		return err_set(err, ERR_USAGE,
			       "`history export` writes csv, the default, or jsonl");
	if (history_open_place(values, DB_READ, &db, err))
		return -1;
	rc = result_file_open(&file, view->output, view->force, false, err);
	if (!rc) {
		export.out = file.out;
		export.json = format == TABLE_JSONL;
		export.terminal = terminal_is_tty(file.out);
		if (!export.json)
			history_add_csv_heading(&export.line);
		history_write(&export.line, export.out);
		rc = history_export(db, &filter, export_row, &export, err);
		rc = result_file_close(&file, rc, err);
	}
	strbuf_release(&export.line);
	database_close(db);
	return rc;
}

int history_run_prune(const struct history_values *values, const struct strvec *arguments,
		      struct err *err)
{
	struct history_filter filter = { .config = values->config, .host = values->host };
	struct database *db = NULL;
	int64_t keep_ns, removed = 0;
	int rc;

	if (no_arguments("prune", arguments, err) ||
	    history_get_date("before", values->before, &filter.to_ms, err))
		return -1;
	if (!values->before == !values->keep)
		return err_set(err, ERR_USAGE,
			       "`history prune` takes either --keep TIME or --before DATE");
	if (values->keep) {
		if (!text_parse_duration(values->keep, 0, &keep_ns) || keep_ns <= 0)
			return err_set(err, ERR_USAGE,
				       "--keep takes a time, as '400 days', not '%s'",
				       values->keep);
		filter.to_ms = (clock_wall() - keep_ns) / NS_PER_MS;
	}
	/* None is made for it. */
	if (history_open_place(values, DB_READ, &db, err))
		return -1;
	database_close(db);
	if (history_open_place(values, DB_WRITE, &db, err))
		return -1;
	rc = history_prune(db, &filter, &removed, err);
	if (!rc)
		print_textf(stdout, "removed %" PRId64 " run%s\n", removed,
			    removed == 1 ? "" : "s");
	database_close(db);
	return rc;
}

/* Options that not all actions have a use for. */
enum {
	USES_SETUP = 1 << 0,
	USES_NEWEST = 1 << 1, /* --last, --since */
	USES_BEFORE = 1 << 2,
	USES_SERIES = 1 << 3,
	USES_METRIC = 1 << 4,
	USES_BUNDLE = 1 << 5,
	USES_EFFECT = 1 << 6,
	USES_GATES = 1 << 7,
	USES_NOTE = 1 << 8,
	USES_KEEP = 1 << 9,
	USES_RUNS = USES_SETUP | USES_NEWEST | USES_BEFORE,
};

static const struct action {
	const char *name;
	int (*run)(const struct history_values *values, const struct strvec *arguments,
		   struct err *err);
	unsigned int uses;
} actions[] = {
	{ "add", history_run_add, 0 },
	{ "list", history_run_list, USES_RUNS },
	{ "show", history_run_show, USES_RUNS | USES_SERIES | USES_BUNDLE },
	{ "check", history_run_check,
	  USES_RUNS | USES_SERIES | USES_METRIC | USES_EFFECT | USES_GATES },
	{ "acknowledge", history_run_acknowledge,
	  USES_RUNS | USES_SERIES | USES_METRIC | USES_NOTE },
	{ "export", history_run_export, USES_RUNS },
	{ "prune", history_run_prune, USES_SETUP | USES_BEFORE | USES_KEEP },
};

/* An option without effect would be taken for one that has it: `prune --last 30` for one that keeps 30 runs. */
static int check_uses(const struct action *action, const struct history_values *values,
		      struct err *err)
{
	const struct {
		const char *option;
		bool given;
		unsigned int use;
	} options[] = {
		{ "config", values->config, USES_SETUP },
		{ "host", values->host, USES_SETUP },
		{ "last", values->last, USES_NEWEST },
		{ "since", values->since, USES_NEWEST },
		{ "before", values->before, USES_BEFORE },
		{ "part", values->part, USES_SERIES },
		{ "role", values->role, USES_SERIES },
		{ "crate", values->crate, USES_SERIES },
		{ "type", values->crate_type, USES_SERIES },
		{ "whole", values->whole, USES_SERIES },
		{ "phase", values->phase, USES_SERIES },
		{ "function", values->function, USES_SERIES },
		{ "metric", values->metric >= 0, USES_METRIC },
		{ "bundle", values->bundles, USES_BUNDLE },
		{ "min-effect", values->min_effect, USES_EFFECT },
		{ "fail-if", values->fail_if.nr, USES_GATES },
		{ "note", values->note, USES_NOTE },
		{ "keep", values->keep, USES_KEEP },
	};

	/* It depends on who ran at the moment of the peak: its levels are no changes of a compiler. */
	if (values->metric == MEASURE_AT_PEAK)
		return err_set(err, ERR_USAGE,
			       "--metric at-peak has no levels: give own-peak, size, cpu or wall");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].given && !(action->uses & options[i].use))
			return err_set(err, ERR_USAGE, "`history %s` has no use for --%s",
				       action->name, options[i].option);
	}
	return 0;
}

static int unknown_action(const char *name, struct err *err)
{
	const char *names[ARRAY_SIZE(actions)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		names[i] = actions[i].name;
	near = text_nearest(name, names, ARRAY_SIZE(actions));
	return near ? err_set(err, ERR_USAGE, "unknown action '%s' (did you mean '%s'?)", name,
			      near)
		    : err_set(err, ERR_USAGE,
			      "unknown action '%s': there are add, list, show, check, acknowledge, "
			      "export and prune",
			      name);
}

static int run_history(const void *data, struct err *err)
{
	const struct history_values *values = data;
	const struct strvec *given = &values->view.traces;
	struct strvec arguments = STRVEC_INIT;
	const struct action *action = NULL;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!strcmp(actions[i].name, given->v[0]))
			action = &actions[i];
	}
	if (!action)
		return unknown_action(given->v[0], err);
	if (check_uses(action, values, err))
		return -1;
	for (size_t i = 1; i < given->nr; i++)
		strvec_push(&arguments, given->v[i]);
	if (values->view.quiet)
		message_set_quiet();
	rc = action->run(values, &arguments, err);
	strvec_release(&arguments);
	return rc;
}

const struct command history_command = {
	.name = "history",
	.summary =
		"keep the results of many runs: add, list, show, check, acknowledge, export, prune",
	.details = "add RUN... puts results of runs into the data base; list shows its runs; show "
		   "METRIC "
		   "draws a series by run; check finds where a level changed, exit code 3; "
		   "acknowledge RUN "
		   "says that the changes in this run are known; export writes all as CSV or JSON "
		   "Lines; "
		   "prune removes old runs.\n\n"
		   "Results belong to the configuration and the host of their runs: only those are "
		   "compared. The data base is a file of SQLite, or PostgreSQL on a server.",
	.syntax = { groups, args, sizeof(struct history_values) },
	.examples = { { "Keep the results of a run", "stagetrace history add run" },
		      { "How did the peak of the build change from run to run?",
			"stagetrace history add run && stagetrace history show own-peak" } },
	.run = run_history,
};
