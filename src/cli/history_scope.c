#include <stdlib.h>
#include <string.h>

#include "cli/history_actions.h"
#include "cli/message.h"
#include "platform/program.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/text.h"

#define DEFAULT_PLACE "runs/history.sqlite"

char *history_place(const char *db)
{
	char *place = db ? xstrdup(db) : env_get("STAGETRACE_HISTORY");

	return place ? place : xstrdup(DEFAULT_PLACE);
}

int history_get_date(const char *option, const char *text, int64_t *time_ms, struct err *err)
{
	char *day;
	int64_t ns;
	bool good;

	*time_ms = 0;
	if (!text)
		return 0;
	day = xasprintf("%sT00:00:00Z", text);
	good = (text_parse_utc(text, &ns) || text_parse_utc(day, &ns)) && ns > 0;
	free(day);
	if (!good)
		return err_set(err, ERR_USAGE,
			       "--%s takes a day, 2026-01-31, or a time in UTC, "
			       "2026-01-31T12:00:00Z, not '%s'",
			       option, text);
	*time_ms = ns / NS_PER_MS;
	return 0;
}

enum column_type history_type(enum measure measure)
{
	return measure_is_bytes(measure)          ? COLUMN_BYTES
	       : measure == MEASURE_COUNT         ? COLUMN_INT
	       : measure == MEASURE_OWN_PEAK_TIME ? COLUMN_TIME
						  : COLUMN_DURATION;
}

static int choose_setup(const struct history_values *values, struct history_scope *scope,
			struct err *err)
{
	const struct history_filter filter = { .config = values->config, .host = values->host };
	struct history_runs newest = { NULL, 0, 0 };
	int rc = history_get_setups(scope->db, &filter, &newest, err);

	if (!rc && !newest.nr)
		rc = err_set(err, ERR_NOT_FOUND,
			     values->config || values->host
				     ? "history '%s' has no run of this configuration and host: "
				       "`stagetrace history list` shows what it has"
				     : "history '%s' has no runs: `stagetrace history add` adds "
				       "them",
			     database_name(scope->db));
	if (!rc) {
		scope->config = xstrdup(newest.v[0].config);
		scope->host = xstrdup(newest.v[0].host);
		if (newest.nr > 1)
			message_printf("note: ",
				       "of '%s' on '%s', where the newest run is from; %zu other%s "
				       "runs too (--config, --host)",
				       scope->config, scope->host, newest.nr - 1,
				       newest.nr == 2 ? " has" : "s have");
	}
	history_runs_release(&newest);
	return rc;
}

/* What `check` and gates must not answer from; NULL: nothing. The caller frees it. */
static char *doubt_of(const struct history_run *newest)
{
	return newest->failed
		       ? xasprintf("the newest run failed, or compiled nothing: %s", newest->name)
	       : newest->lost > 0 ? xasprintf("the newest run lost events: %s", newest->name)
				  : NULL;
}

/* Runs that failed have no values that mean anything. */
static void drop_failed(struct history_scope *scope)
{
	struct history_runs *runs = &scope->runs;
	size_t kept = 0;

	if (runs->nr)
		scope->doubt = doubt_of(&runs->v[runs->nr - 1]);
	for (size_t i = 0; i < runs->nr; i++) {
		if (runs->v[i].failed)
			history_run_release(&runs->v[i]);
		else
			runs->v[kept++] = runs->v[i];
	}
	if (kept < runs->nr)
		message_printf("note: ",
			       runs->nr - kept == 1 ? "%zu run that failed is left out"
						    : "%zu runs that failed are left out",
			       runs->nr - kept);
	runs->nr = kept;
}

int history_scope_open(const struct history_values *values, struct history_scope *scope,
		       struct err *err)
{
	struct history_filter filter = { .last = values->last ? values->last : HISTORY_LAST };

	*scope = (struct history_scope){ .db = NULL };
	if (history_get_date("since", values->since, &filter.from_ms, err) ||
	    history_get_date("before", values->before, &filter.to_ms, err) ||
	    history_open_place(values, DB_READ, &scope->db, err) ||
	    choose_setup(values, scope, err))
		return -1;
	filter.config = scope->config;
	filter.host = scope->host;
	if (history_get_runs(scope->db, &filter, &scope->runs, err) ||
	    history_get_acknowledged(scope->db, scope->config, scope->host, &scope->acknowledged,
				     err))
		return -1;
	drop_failed(scope);
	return 0;
}

void history_scope_release(struct history_scope *scope)
{
	history_runs_release(&scope->runs);
	history_acknowledgements_release(&scope->acknowledged);
	free(scope->config);
	free(scope->host);
	free(scope->doubt);
	database_close(scope->db);
}

/* Which kind the options are about; -1: none. */
static int get_kind(const struct history_values *values)
{
	return values->function                      ? HISTORY_FUNCTION
	       : values->phase                       ? HISTORY_PHASE
	       : values->whole                       ? HISTORY_PART_CRATE
	       : values->crate || values->crate_type ? HISTORY_CRATE
	       : values->part && values->role        ? HISTORY_PART_ROLE
	       : values->part                        ? HISTORY_PART
	       : values->role                        ? HISTORY_ROLE
						     : HISTORY_BUILD;
}

bool history_names_series(const struct history_values *values)
{
	return get_kind(values) != HISTORY_BUILD;
}

/* Of an unknown crate the nearest one that the history has is said. Returns -1. */
static int refuse_names(const struct history_values *values, const struct history_scope *scope,
			struct err *err)
{
	const char *const any[HISTORY_TEXTS] = { NULL };
	struct history_series_list all = { NULL, 0, 0 };
	struct strvec crates = STRVEC_INIT;
	struct strbuf hint = STRBUF_INIT;
	const char *near = NULL;

	if (values->crate) {
		if (history_get_series(scope->db, scope->config, scope->host, get_kind(values), any,
				       &all, err))
			return -1;
		for (size_t i = 0; i < all.nr; i++)
			strvec_push(&crates, all.v[i].texts[TEXT_CRATE]);
		near = text_nearest(values->crate, (const char *const *)crates.v, crates.nr);
	}
	if (near && strcmp(near, values->crate) != 0)
		strbuf_addf(&hint, " (did you mean '%s'?)", near);
	err_set(err, ERR_NOT_FOUND, "the history of '%s' on '%s' has nothing of this name%s",
		scope->config, scope->host, hint.len ? hint.buf : "");
	strbuf_release(&hint);
	strvec_release(&crates);
	history_series_release(&all);
	return -1;
}

int history_scope_series(const struct history_values *values, struct history_scope *scope,
			 struct history_series_list *list, struct err *err)
{
	const char *const texts[HISTORY_TEXTS] = {
		[TEXT_PART] = values->part,   [TEXT_ROLE] = values->role,
		[TEXT_CRATE] = values->crate, [TEXT_CRATE_TYPE] = values->crate_type,
		[TEXT_PHASE] = values->phase, [TEXT_FUNCTION] = values->function,
	};

	if (values->whole && (!values->crate || values->crate_type || values->function))
		return err_set(err, ERR_USAGE,
			       "--whole is for --crate, without --type and --function: all types "
			       "of the crate are in it");
	if (history_get_series(scope->db, scope->config, scope->host, get_kind(values), texts, list,
			       err))
		return -1;
	return list->nr ? 0 : refuse_names(values, scope, err);
}

int history_trend_read(const struct history_scope *scope, const struct history_series *series,
		       enum measure measure, struct history_trend *trend, struct err *err)
{
	struct history_points points = { NULL, 0, 0 };
	int rc = 0;

	*trend = (struct history_trend){ .nr = 0 };
	if (scope->runs.nr)
		rc = history_get_points(scope->db, series->id, scope->runs.v[0].time_ms, 0, &points,
					err);
	if (rc)
		history_points_release(&points);
	else
		history_trend_make(scope, series->id, measure, &points, trend);
	return rc;
}

/* The values that are known, of runs of the scope. */
static void choose_values(const struct history_scope *scope, enum measure measure,
			  struct history_trend *trend)
{
	struct hash_index index = HASH_INDEX_INIT;
	size_t nr = trend->points.nr;

	trend->runs = xcalloc(nr + 1, sizeof(*trend->runs));
	trend->values = xcalloc(nr + 1, sizeof(*trend->values));
	trend->times_ms = xcalloc(nr + 1, sizeof(*trend->times_ms));
	for (size_t i = 0; i < scope->runs.nr; i++)
		hash_index_add(&index, (uint64_t)scope->runs.v[i].id, (uint32_t)i);
	for (size_t i = 0; i < nr; i++) {
		const struct history_point point = trend->points.v[i];
		uint32_t run;

		HASH_INDEX_FIND(run, &index, (uint64_t)point.run, k,
				scope->runs.v[k].id == point.run);
		if (run == HASH_INDEX_NONE || point.values.v[measure] == MEASURE_UNKNOWN)
			continue;
		trend->points.v[trend->nr] = point;
		trend->runs[trend->nr] = run;
		trend->values[trend->nr] = point.values.v[measure];
		trend->times_ms[trend->nr++] = point.time_ms;
	}
	hash_index_release(&index);
}

bool history_is_before(const struct history_scope *scope, size_t run,
		       const struct history_acknowledged *change)
{
	const struct history_runs *runs = &scope->runs;

	if (runs->v[run].time_ms != change->time_ms)
		return runs->v[run].time_ms < change->time_ms;
	while (++run < runs->nr && runs->v[run].time_ms == change->time_ms) {
		if (!strcmp(runs->v[run].name, change->run))
			return true;
	}
	return false;
}

/* Whether what is known begins after a run, and at the latest in the next one of the series. */
static bool is_acknowledged(const struct history_scope *scope, int64_t series, enum measure measure,
			    size_t before, size_t run)
{
	for (size_t i = 0; i < scope->acknowledged.nr; i++) {
		const struct history_acknowledged *change = &scope->acknowledged.v[i];

		if ((!change->series || change->series == series) &&
		    (!*change->metric || !strcmp(change->metric, measure_kept_names[measure])) &&
		    history_is_before(scope, before, change) &&
		    !history_is_before(scope, run, change))
			return true;
	}
	return false;
}

/* Append the levels of values from `start` on, which begin with one of strength 0. */
static void add_levels(struct history_trend *trend, size_t start, size_t nr)
{
	struct levels found, *all = &trend->levels;

	if (!levels_find(&trend->values[start], nr, &found)) {
		found.v = xcalloc(1, sizeof(*found.v));
		found.nr = 1;
		found.v[0] = (struct level){ .nr = nr,
					     .value = series_median_of(&trend->values[start], nr) };
	}
	all->v = xreallocarray(all->v, all->nr + found.nr, sizeof(*all->v));
	for (size_t i = 0; i < found.nr; i++) {
		found.v[i].start += start;
		all->v[all->nr++] = found.v[i];
	}
	all->noise = found.noise;
	all->shape = found.shape;
	all->drift = found.drift;
	memcpy(all->modes, found.modes, sizeof(all->modes));
	levels_release(&found);
}

void history_trend_make(const struct history_scope *scope, int64_t series, enum measure measure,
			struct history_points *points, struct history_trend *trend)
{
	size_t start = 0;

	*trend = (struct history_trend){ .points = *points, .levels = { .noise = -1 } };
	*points = (struct history_points){ NULL, 0, 0 };
	choose_values(scope, measure, trend);
	if (trend->nr > LEVELS_VALUES_MAX)
		start = trend->nr - LEVELS_VALUES_MAX;
	for (size_t i = start + 1; i <= trend->nr; i++) {
		if (i < trend->nr &&
		    !is_acknowledged(scope, series, measure, trend->runs[i - 1], trend->runs[i]))
			continue;
		add_levels(trend, start, i - start);
		start = i;
	}
}

void history_trend_release(struct history_trend *trend)
{
	history_points_release(&trend->points);
	free(trend->runs);
	free(trend->values);
	free(trend->times_ms);
	levels_release(&trend->levels);
}
