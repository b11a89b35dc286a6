#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/history_actions.h"
#include "cli/line_width.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "platform/fs.h"
#include "report/compare_view.h"
#include "report/history_view.h"
#include "report/svg.h"
#include "report/trend.h"
#include "rundir/manifest.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"

/* Graphs of more series at once help nobody. */
#define SHOWN_MAX 20

/* What is shown: the trends of the series. */
struct shown {
	const struct history_values *values;
	enum measure measure;
	struct history_scope scope;
	struct history_series_list series;
	struct history_trend *trends; /* by series */
	size_t read;
};

static void add_value(struct strbuf *sb, enum measure measure, int64_t value)
{
	table_add_number(sb, history_type(measure), value);
}

static void add_title(const struct shown *shown, size_t i, struct strbuf *sb)
{
	strbuf_addf(sb, "%s of ", measure_kept_names[shown->measure]);
	history_series_name(&shown->series.v[i], sb);
}

/* How it differs from the level before it. A level of strength 0 begins with what is acknowledged. */
static void add_change(const struct level *before, const struct level *level, struct strbuf *sb)
{
	if (before->value > 0) {
		strbuf_adds(sb, ", ");
		compare_add_percent(sb, 100.0 * ((double)level->value - (double)before->value) /
						(double)before->value);
	}
	strbuf_adds(sb, level->strength >= LEVEL_ALARM ? ""
			: level->strength > 0          ? ", suspected"
						       : ", acknowledged");
}

/* What the levels of a trend are, a line each. */
static void add_levels(const struct shown *shown, const struct history_trend *trend,
		       struct strbuf *sb)
{
	const struct levels *levels = &trend->levels;

	for (size_t i = 0; i < levels->nr; i++) {
		const struct level *level = &levels->v[i];

		strbuf_adds(sb, "  ");
		trend_add_time(sb, trend->times_ms[level->start]);
		strbuf_adds(sb, "  ");
		add_value(sb, shown->measure, level->value);
		strbuf_addf(sb, "  %zu run%s", level->nr, level->nr == 1 ? "" : "s");
		if (i)
			add_change(&levels->v[i - 1], level, sb);
		strbuf_addc(sb, '\n');
	}
	if (levels->noise >= 0)
		strbuf_addf(sb, "  noise from run to run: %.2f %%\n", 100 * levels->noise);
	if (levels->shape == LEVELS_DRIFT)
		strbuf_addf(sb, "  it drifts: %+.1f %% from the first run %sto the last\n",
			    100 * levels->drift, levels->nr > 1 ? "of the last level " : "");
	if (levels->shape == LEVELS_BIMODAL) {
		strbuf_adds(sb, "  two kinds of runs alternate: about ");
		add_value(sb, shown->measure, levels->modes[0]);
		strbuf_adds(sb, " and ");
		add_value(sb, shown->measure, levels->modes[1]);
		strbuf_addc(sb, '\n');
	}
}

static struct trend make_trend(const struct shown *shown, size_t i, const char *title,
			       const char *const *names)
{
	const struct history_trend *trend = &shown->trends[i];

	return (struct trend){ .title = title,
			       .type = history_type(shown->measure),
			       .values = trend->values,
			       .times_ms = trend->times_ms,
			       .names = names,
			       .nr = trend->nr,
			       .levels = &trend->levels };
}

static void add_text(const struct shown *shown, size_t i, size_t width, struct strbuf *sb)
{
	const struct history_trend *trend = &shown->trends[i];
	struct strbuf title = STRBUF_INIT;
	struct trend graph;

	add_title(shown, i, &title);
	strbuf_addf(sb, "%s: '%s' on '%s', %zu run%s\n", title.buf, shown->scope.config,
		    shown->scope.host, trend->nr, trend->nr == 1 ? "" : "s");
	if (trend->nr > 1) {
		graph = make_trend(shown, i, title.buf, NULL);
		trend_add_text(&graph, width, sb);
	}
	if (trend->nr)
		add_levels(shown, trend, sb);
	strbuf_release(&title);
}

static const char **name_points(const struct shown *shown, const struct history_trend *trend,
				struct strvec *texts)
{
	const char **names = xcalloc(trend->nr + 1, sizeof(*names));

	for (size_t i = 0; i < trend->nr; i++) {
		const struct history_run *run = &shown->scope.runs.v[trend->runs[i]];

		strvec_pushf(texts, "%s%s%s", run->name, *run->commit ? ", " : "", run->commit);
		names[i] = texts->v[texts->nr - 1];
	}
	return names;
}

static void add_svg(const struct shown *shown, size_t i, double y, struct strbuf *sb)
{
	const struct history_trend *trend = &shown->trends[i];
	struct strvec texts = STRVEC_INIT;
	struct strbuf title = STRBUF_INIT;
	const char **names = name_points(shown, trend, &texts);
	struct trend graph;

	add_title(shown, i, &title);
	graph = make_trend(shown, i, title.buf, names);
	if (trend->nr)
		trend_add_svg(&graph, y, sb);
	free(names);
	strvec_release(&texts);
	strbuf_release(&title);
}

static void add_picture(const struct shown *shown, struct strbuf *sb)
{
	strbuf_addf(sb,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\">\n"
		    "<style>%s</style>\n",
		    TREND_SVG_WIDTH, shown->series.nr * TREND_SVG_HEIGHT, trend_svg_style);
	for (size_t i = 0; i < shown->series.nr; i++)
		add_svg(shown, i, (double)(i * TREND_SVG_HEIGHT), sb);
	strbuf_adds(sb, "</svg>\n");
}

/* A graph with its levels; a series without values is named too. */
static void add_part(const struct shown *shown, size_t i, struct strbuf *sb)
{
	const struct history_trend *trend = &shown->trends[i];
	struct strbuf text = STRBUF_INIT;

	if (trend->nr) {
		add_svg(shown, i, 0, sb);
		add_levels(shown, trend, &text);
	} else {
		add_title(shown, i, &text);
		strbuf_adds(&text, ": not known in any run");
	}
	strbuf_adds(sb, "<pre>");
	svg_add_text(sb, text.buf);
	strbuf_adds(sb, "</pre>\n");
	strbuf_release(&text);
}

/* A page without scripts, which loads nothing. */
static void add_page(const struct shown *shown, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(sb,
		    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'\">\n<title>stagetrace "
		    "history</title>\n<style>body{font:14px "
		    "sans-serif;margin:2em}%s</style></head><body>\n<h1>",
		    trend_svg_style);
	strbuf_addf(&text, "%s on %s", shown->scope.config, shown->scope.host);
	svg_add_text(sb, text.buf);
	strbuf_adds(sb, "</h1>\n");
	for (size_t i = 0; i < shown->series.nr; i++)
		add_part(shown, i, sb);
	strbuf_adds(sb, "</body></html>\n");
	strbuf_release(&text);
}

static int write_trends(const struct shown *shown, int format, struct err *err)
{
	const struct view_values *view = &shown->values->view;
	struct strbuf sb = STRBUF_INIT;
	struct result_file file;
	size_t width = line_width(result_file_is_stdout(view->output) ? stdout : NULL);

	if (result_file_open(&file, view->output, view->force, false, err))
		return -1;
	if (format == TREND_SVG) {
		add_picture(shown, &sb);
	} else if (format == TREND_HTML) {
		add_page(shown, &sb);
	} else {
		for (size_t i = 0; i < shown->series.nr; i++)
			add_text(shown, i, width, &sb);
	}
	print_text(file.out, sb.buf);
	strbuf_release(&sb);
	return result_file_close(&file, 0, err);
}

/*
 * Where the bundle of a run is below a place: by its host or not, as a bundle or as a directory; "" if it is not there. A
 * server is not asked: the answer is where the bundle belongs.
 */
static char *find_bundle(const char *place, const struct history_run *run)
{
	static const char *const endings[] = { ".zip", "" };
	struct strbuf path = STRBUF_INIT;

	if (!manifest_is_path(run->name))
		return strbuf_detach(&path);
	for (int by_host = 0; by_host < 2; by_host++) {
		if (by_host && !manifest_is_path(run->host))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
			strbuf_clear(&path);
			strbuf_addf(&path, "%s/", place);
			if (by_host)
				strbuf_addf(&path, "%s/", run->host);
			strbuf_addf(&path, "%s%s", run->name, endings[i]);
			if (strstr(place, "://") || fs_exists(path.buf))
				return strbuf_detach(&path);
		}
	}
	strbuf_clear(&path);
	return strbuf_detach(&path);
}

static void add_bundles(const struct shown *shown, struct history_value *rows, size_t nr)
{
	size_t missing = 0;

	for (size_t i = 0; i < nr; i++) {
		rows[i].bundle = find_bundle(shown->values->bundles, rows[i].run);
		missing += !*rows[i].bundle;
	}
	if (missing)
		message_printf("note: ", "'%s' has no bundle of %zu of %zu run%s",
			       shown->values->bundles, missing, nr, nr == 1 ? "" : "s");
}

static int print_values(const struct shown *shown, const struct table_options *options,
			struct err *err)
{
	struct history_value *rows;
	const void **pointers;
	size_t nr = 0;
	int rc;

	for (size_t i = 0; i < shown->series.nr; i++)
		nr += shown->trends[i].nr;
	rows = xcalloc(nr + 1, sizeof(*rows));
	pointers = xcalloc(nr + 1, sizeof(*pointers));
	nr = 0;
	for (size_t i = 0; i < shown->series.nr; i++) {
		const struct history_trend *trend = &shown->trends[i];

		for (size_t k = 0; k < trend->nr; k++) {
			rows[nr] = (struct history_value){ &shown->scope.runs.v[trend->runs[k]],
							   &shown->series.v[i], &trend->points.v[k],
							   NULL };
			pointers[nr] = &rows[nr];
			nr++;
		}
	}
	if (shown->values->bundles)
		add_bundles(shown, rows, nr);
	rc = view_print_table(&shown->values->view, &history_values_table, options, pointers, nr,
			      err);
	for (size_t i = 0; i < nr; i++)
		free(rows[i].bundle);
	free(rows);
	free(pointers);
	return rc;
}

static int read_trends(struct shown *shown, struct err *err)
{
	size_t values = 0;

	if (shown->series.nr > SHOWN_MAX) {
		return err_set(err, ERR_USAGE,
			       "%zu series have this name: choose one by --part, --role, --type or "
			       "--crate",
			       shown->series.nr);
	}
	shown->trends = xcalloc(shown->series.nr, sizeof(*shown->trends));
	while (shown->read < shown->series.nr) {
		size_t i = shown->read++;

		if (history_trend_read(&shown->scope, &shown->series.v[i], shown->measure,
				       &shown->trends[i], err))
			return -1;
		values += shown->trends[i].nr;
	}
	if (!values)
		message_printf("note: ", "%s of this is not known in any run",
			       measure_kept_names[shown->measure]);
	return 0;
}

/* The words are those of gates, and what is kept besides. */
static int get_measure(const struct history_values *values, const struct strvec *args,
		       enum measure *measure, struct err *err)
{
	bool build = !history_names_series(values);
	const char *words[MEASURES_KEPT + 1], *near;
	struct strbuf list = STRBUF_INIT;
	size_t nr = 0;

	if (args->nr != 1)
		return err_set(err, ERR_USAGE, "`history show` takes one metric, as own-peak");
	if (measure_parse(args->v[0], MEASURES_KEPT, build, measure))
		return 0;
	for (int i = 0; i < MEASURES_KEPT; i++)
		words[nr++] = measure_kept_names[i];
	if (build)
		words[nr++] = MEASURE_BUILD_PEAK;
	/* Words that differ so much are not taken for similar. */
	near = !strcmp(args->v[0], MEASURE_BUILD_PEAK) ? measure_kept_names[MEASURE_OWN_PEAK]
						       : text_nearest(args->v[0], words, nr);
	if (near)
		return err_set(err, ERR_USAGE, "unknown metric '%s' (did you mean '%s'?)",
			       args->v[0], near);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", words[i]);
	err_set(err, ERR_USAGE, "unknown metric '%s': it is one of %s", args->v[0], list.buf);
	strbuf_release(&list);
	return -1;
}

int history_run_show(const struct history_values *values, const struct strvec *args,
		     struct err *err)
{
	struct shown shown = { .values = values };
	struct view_values view = values->view;
	struct table_options options;
	int format, rc = -1;

	if (get_measure(values, args, &shown.measure, err) ||
	    result_file_format(view.output, &history_formats, view.format, &format, err))
		return -1;
	if (format < TREND_SVG &&
	    view_get_table_options(&view, &history_values_table, &options, err))
		return -1;
	if (format >= TREND_SVG && result_file_check(view.output, view.force, &view.traces, err))
		return -1;
	if (!history_scope_open(values, &shown.scope, err) &&
	    !history_scope_series(values, &shown.scope, &shown.series, err) &&
	    !read_trends(&shown, err)) {
		bool graph = format >= TREND_SVG ||
			     (format == TABLE_TEXT && !view.columns && !values->bundles);

		if (format == TABLE_TEXT && values->bundles && !view.columns)
			options.columns = "time,run,bundle";
		rc = graph ? write_trends(&shown, format, err)
			   : print_values(&shown, &options, err);
	}
	for (size_t i = 0; i < shown.read; i++)
		history_trend_release(&shown.trends[i]);
	free(shown.trends);
	history_series_release(&shown.series);
	history_scope_release(&shown.scope);
	return rc;
}
