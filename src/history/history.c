#include "history/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/levels.h"
#include "compare/verdicts.h"
#include "history/schema.h"
#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/text.h"

const char *const history_kind_names[] = { "build",      "part",  "role",     "part-role", "crate",
					   "part-crate", "phase", "function", NULL };

const char *const history_text_names[] = { "part",  "role",   "crate",    "crate_type",
					   "phase", "module", "function", NULL };

const char *const history_columns[MEASURES_KEPT] = {
	[MEASURE_OWN_PEAK] = "own_peak_bytes",
	[MEASURE_AT_PEAK] = "at_peak_bytes",
	[MEASURE_SIZE] = "size_bytes",
	[MEASURE_CPU] = "cpu_ns",
	[MEASURE_WALL] = "wall_ns",
	[MEASURE_WAIT] = "wait_ns",
	[MEASURE_OWN_PEAK_TIME] = "own_peak_time_ns",
	[MEASURE_TOUCHED] = "touched_bytes",
	[MEASURE_PEAK_RSS] = "peak_rss_bytes",
	[MEASURE_COUNT] = "count",
};

const char *const history_export_columns[] = { "time_ms",
					       "config",
					       "host",
					       "run",
					       "commit_hash",
					       "kind",
					       "part",
					       "role",
					       "crate",
					       "crate_type",
					       "phase",
					       "module",
					       "function",
					       "wall_ns",
					       "cpu_ns",
					       "wait_ns",
					       "size_bytes",
					       "own_peak_bytes",
					       "own_peak_time_ns",
					       "at_peak_bytes",
					       "touched_bytes",
					       "peak_rss_bytes",
					       "count",
					       NULL };

/* More runs, or points of a series, are not taken into memory. */
#define ROWS_MAX 2000000

/* Times are made dates of in nanoseconds: what a damaged or hostile data base has beyond those is no time. */
#define TIME_MAX_MS (INT64_MAX / NS_PER_MS) /* in the year 2262 */

int history_open(const char *place, enum db_access access, struct database **db, struct err *err)
{
	if (database_open(place, access, db, err))
		return -1;
	if (schema_prepare(*db, &history_schema, access, err)) {
		database_close(*db);
		*db = NULL;
		return -1;
	}
	return 0;
}

void history_run_release(struct history_run *run)
{
	char *const texts[] = { run->name,   run->config,   run->host,     run->commit,
				run->branch, run->version,  run->recorder, run->kernel,
				run->cpu,    run->settings, run->gates };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	memset(run, 0, sizeof(*run));
}

void history_runs_release(struct history_runs *runs)
{
	for (size_t i = 0; i < runs->nr; i++)
		history_run_release(&runs->v[i]);
	free(runs->v);
	*runs = (struct history_runs){ NULL, 0, 0 };
}

/* A statement with its parameters. */
struct statement {
	struct strbuf sql;
	struct db_value *params;
	size_t nr, alloc;
};

#define STATEMENT_INIT \
	{ \
		STRBUF_INIT, NULL, 0, 0 \
	}

static void statement_release(struct statement *statement)
{
	strbuf_release(&statement->sql);
	free(statement->params);
}

/* Append SQL, and the place of a parameter. */
static void add_param(struct statement *statement, const char *sql, struct db_value value)
{
	ARRAY_ADD(statement->params, statement->nr, statement->alloc, value);
	strbuf_addf(&statement->sql, "%s$%zu", sql, statement->nr);
}

/* The same where SQL has no type to conclude that of the parameter from: a number. */
static void add_number(struct statement *statement, const char *sql, int64_t number)
{
	strbuf_adds(&statement->sql, sql);
	add_param(statement, "CAST(", DB_NUMBER(number));
	strbuf_adds(&statement->sql, " AS BIGINT)");
}

static int run_statement(struct database *db, const struct statement *statement,
			 const struct db_taker *taker, struct err *err)
{
	return database_query(db, statement->sql.buf, statement->params, statement->nr, taker, err);
}

static void add_filter(struct statement *statement, const struct history_filter *filter)
{
	const char *before = " WHERE ";
	const struct {
		const char *column, *value;
	} texts[] = {
		{ "setup.config = ", filter->config },
		{ "setup.host = ", filter->host },
		{ "run.name = ", filter->name },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!texts[i].value)
			continue;
		strbuf_adds(&statement->sql, before);
		add_param(statement, texts[i].column, DB_TEXT(texts[i].value));
		before = " AND ";
	}
	if (filter->from_ms) {
		strbuf_adds(&statement->sql, before);
		add_param(statement, "run.time >= ", DB_NUMBER(filter->from_ms));
		before = " AND ";
	}
	if (filter->to_ms) {
		strbuf_adds(&statement->sql, before);
		add_param(statement, "run.time < ", DB_NUMBER(filter->to_ms));
	}
}

/* The newest run first, and only the newest `last` (0: all). */
static void add_newest(struct statement *statement, int64_t last)
{
	strbuf_adds(&statement->sql, " ORDER BY run.time DESC, run.id DESC");
	if (last)
		add_param(statement, " LIMIT ", DB_NUMBER(last));
}

#define RUN_COLUMNS \
	"run.id, run.name, setup.config, setup.host, run.time, run.commit_hash, run.branch, " \
	"run.dirty, run.version, run.recorder, run.kernel, run.cpu, run.cpus, run.settings, " \
	"run.gates, run.failed, run.lost, run.foreign_permille"
#define RUN_COLUMNS_NR 18

/* Times are sane, so that dates can be made of them. */
static int64_t get_time(const struct db_value *value)
{
	int64_t time_ms = db_number(value, 0);

	return time_ms < 0 || time_ms > TIME_MAX_MS ? 0 : time_ms;
}

static int too_many(struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "there are more than %d of them", ROWS_MAX);
}

static int take_run(void *data, const struct db_value *row, struct err *err)
{
	struct history_runs *runs = data;
	const struct history_run run = {
		.id = db_number(&row[0], 0),
		.name = xstrdup(db_text(&row[1])),
		.config = xstrdup(db_text(&row[2])),
		.host = xstrdup(db_text(&row[3])),
		.time_ms = get_time(&row[4]),
		.commit = xstrdup(db_text(&row[5])),
		.branch = xstrdup(db_text(&row[6])),
		.dirty = db_number(&row[7], -1),
		.version = xstrdup(db_text(&row[8])),
		.recorder = xstrdup(db_text(&row[9])),
		.kernel = xstrdup(db_text(&row[10])),
		.cpu = xstrdup(db_text(&row[11])),
		.cpus = db_number(&row[12], -1),
		.settings = xstrdup(db_text(&row[13])),
		.gates = xstrdup(db_text(&row[14])),
		.failed = db_number(&row[15], 0) != 0,
		.lost = db_number(&row[16], -1),
		.foreign_permille = db_number(&row[17], -1),
	};

	ARRAY_ADD(runs->v, runs->nr, runs->alloc, run);
	return runs->nr > ROWS_MAX ? too_many(err) : 0;
}

static void reverse_runs(struct history_runs *runs)
{
	for (size_t i = 0; i < runs->nr / 2; i++) {
		struct history_run run = runs->v[i];

		runs->v[i] = runs->v[runs->nr - 1 - i];
		runs->v[runs->nr - 1 - i] = run;
	}
}

int history_get_runs(struct database *db, const struct history_filter *filter,
		     struct history_runs *runs, struct err *err)
{
	const struct db_taker taker = { take_run, runs, RUN_COLUMNS_NR, false };
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql,
		    "SELECT " RUN_COLUMNS " FROM run JOIN setup ON setup.id = run.setup");
	add_filter(&statement, filter);
	add_newest(&statement, filter->last);
	rc = run_statement(db, &statement, &taker, err);
	reverse_runs(runs);
	statement_release(&statement);
	return rc;
}

/* The newest run of each setup by the index of both. */
int history_get_setups(struct database *db, const struct history_filter *filter,
		       struct history_runs *newest, struct err *err)
{
	const struct db_taker taker = { take_run, newest, RUN_COLUMNS_NR, false };
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql,
		    "SELECT " RUN_COLUMNS " FROM setup JOIN run ON run.id = (SELECT newest.id FROM "
		    "run AS newest WHERE newest.setup = setup.id ORDER BY newest.time DESC, "
		    "newest.id DESC LIMIT 1)");
	add_filter(&statement, filter);
	strbuf_adds(&statement.sql, " ORDER BY run.time DESC, run.id DESC");
	rc = run_statement(db, &statement, &taker, err);
	statement_release(&statement);
	return rc;
}

static int find_kind(const char *name)
{
	for (int i = 0; i < HISTORY_KINDS; i++) {
		if (!strcmp(history_kind_names[i], name))
			return i;
	}
	return -1;
}

#define SERIES_COLUMNS \
	"series.id, series.kind, series.part, series.role, series.crate, series.crate_type, " \
	"series.phase, series.module, series.function"
#define SERIES_COLUMNS_NR (2 + HISTORY_TEXTS)

static int take_series(void *data, const struct db_value *row, struct err *err)
{
	struct history_series_list *list = data;
	struct history_series series = { .id = db_number(&row[0], 0) };
	int kind = find_kind(db_text(&row[1]));

	if (kind < 0) /* of a later version */
		return 0;
	series.kind = (enum history_kind)kind;
	for (int i = 0; i < HISTORY_TEXTS; i++)
		series.texts[i] = xstrdup(db_text(&row[2 + i]));
	ARRAY_ADD(list->v, list->nr, list->alloc, series);
	return list->nr > ROWS_MAX ? too_many(err) : 0;
}

int history_get_series(struct database *db, const char *config, const char *host, int kind,
		       const char *const texts[HISTORY_TEXTS], struct history_series_list *list,
		       struct err *err)
{
	const struct db_taker taker = { take_series, list, SERIES_COLUMNS_NR, false };
	struct statement statement = STATEMENT_INIT;
	struct strbuf column = STRBUF_INIT;
	int rc;

	strbuf_adds(&statement.sql,
		    "SELECT " SERIES_COLUMNS " FROM setup JOIN series ON series.setup = setup.id");
	add_param(&statement, " WHERE setup.config = ", DB_TEXT(config));
	add_param(&statement, " AND setup.host = ", DB_TEXT(host));
	if (kind >= 0)
		add_param(&statement, " AND series.kind = ", DB_TEXT(history_kind_names[kind]));
	for (int i = 0; i < HISTORY_TEXTS; i++) {
		if (!texts || !texts[i])
			continue;
		strbuf_clear(&column);
		strbuf_addf(&column, " AND series.%s = ", history_text_names[i]);
		add_param(&statement, column.buf, DB_TEXT(texts[i]));
	}
	strbuf_adds(&statement.sql, " ORDER BY series.id");
	rc = run_statement(db, &statement, &taker, err);
	strbuf_release(&column);
	statement_release(&statement);
	return rc;
}

void history_series_release(struct history_series_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		for (int k = 0; k < HISTORY_TEXTS; k++)
			free(list->v[i].texts[k]);
	}
	free(list->v);
	*list = (struct history_series_list){ NULL, 0, 0 };
}

void history_series_name(const struct history_series *series, struct strbuf *sb)
{
	char *const *texts = series->texts;

	switch (series->kind) {
	case HISTORY_PART:
		strbuf_addf(sb, "part %s", texts[TEXT_PART]);
		return;
	case HISTORY_ROLE:
	case HISTORY_PART_ROLE:
		strbuf_addf(sb, "role %s", texts[TEXT_ROLE]);
		break;
	case HISTORY_CRATE:
		strbuf_addf(sb, "crate %s", texts[TEXT_CRATE]);
		if (*texts[TEXT_CRATE_TYPE])
			strbuf_addf(sb, " (%s)", texts[TEXT_CRATE_TYPE]);
		break;
	case HISTORY_PART_CRATE:
		strbuf_addf(sb, "all processes of crate %s", texts[TEXT_CRATE]);
		break;
	case HISTORY_PHASE:
		strbuf_addf(sb, "phase %s", texts[TEXT_PHASE]);
		break;
	case HISTORY_FUNCTION:
		strbuf_addf(sb, "function %s of crate %s", texts[TEXT_FUNCTION], texts[TEXT_CRATE]);
		break;
	default:
		strbuf_adds(sb, "the whole build");
	}
	if (*texts[TEXT_PART])
		strbuf_addf(sb, " of %s", texts[TEXT_PART]);
}

#define VALUE_COLUMNS \
	"own_peak_bytes, at_peak_bytes, size_bytes, cpu_ns, wall_ns, wait_ns, own_peak_time_ns, " \
	"touched_bytes, peak_rss_bytes, count"

static int take_point(void *data, const struct db_value *row, struct err *err)
{
	struct history_points *points = data;
	struct history_point point = { .run = db_number(&row[0], 0), .time_ms = get_time(&row[1]) };

	for (int i = 0; i < MEASURES_KEPT; i++)
		point.values.v[i] = db_number(&row[2 + i], MEASURE_UNKNOWN);
	ARRAY_ADD(points->v, points->nr, points->alloc, point);
	return points->nr > ROWS_MAX ? too_many(err) : 0;
}

static int get_points(struct database *db, const struct statement *statement,
		      struct history_points *points, struct err *err)
{
	const struct db_taker taker = { take_point, points, 2 + MEASURES_KEPT, false };
	int rc = run_statement(db, statement, &taker, err);

	for (size_t i = 0; i < points->nr / 2; i++) {
		struct history_point point = points->v[i];

		points->v[i] = points->v[points->nr - 1 - i];
		points->v[points->nr - 1 - i] = point;
	}
	return rc;
}

int history_get_points(struct database *db, int64_t series, int64_t from_ms, int64_t last,
		       struct history_points *points, struct err *err)
{
	struct statement statement = STATEMENT_INIT;
	int rc;

	add_param(&statement, "SELECT run, time, " VALUE_COLUMNS " FROM result WHERE series = ",
		  DB_NUMBER(series));
	add_param(&statement, " AND time >= ", DB_NUMBER(from_ms));
	strbuf_adds(&statement.sql, " ORDER BY time DESC, run DESC");
	if (last)
		add_param(&statement, " LIMIT ", DB_NUMBER(last));
	rc = get_points(db, &statement, points, err);
	statement_release(&statement);
	return rc;
}

void history_points_release(struct history_points *points)
{
	free(points->v);
	*points = (struct history_points){ NULL, 0, 0 };
}

/* What comes and goes, as a thread more, is no change: the fence is farther out than that. */
#define BEYOND_EXCURSIONS 1.25

static double noise_of(const struct history_points *points, enum measure measure)
{
	int64_t *values = xcalloc(points->nr + 1, sizeof(*values));
	size_t nr = 0;
	double noise, excursion;

	for (size_t i = 0; i < points->nr; i++) {
		if (points->v[i].values.v[measure] != MEASURE_UNKNOWN)
			values[nr++] = points->v[i].values.v[measure];
	}
	noise = nr < SERIES_NOISE_VALUES ? -1 : series_noise(values, nr);
	excursion = BEYOND_EXCURSIONS * series_excursion(values, nr) / VERDICT_FENCE;
	free(values);
	return noise >= 0 && noise < excursion ? excursion : noise;
}

/* Those of runs that did not fail. */
static int get_good_points(struct database *db, int64_t series, int64_t last,
			   struct history_points *points, struct err *err)
{
	struct statement statement = STATEMENT_INIT;
	int rc;

	add_param(&statement,
		  "SELECT result.run, result.time, " VALUE_COLUMNS " FROM result JOIN run ON "
		  "run.id = result.run WHERE run.failed = 0 AND result.series = ",
		  DB_NUMBER(series));
	strbuf_adds(&statement.sql, " ORDER BY result.time DESC, result.run DESC");
	if (last)
		add_param(&statement, " LIMIT ", DB_NUMBER(last));
	rc = get_points(db, &statement, points, err);
	statement_release(&statement);
	return rc;
}

int history_noise(struct database *db, const char *config, const char *host, enum history_kind kind,
		  const char *const texts[HISTORY_TEXTS], int64_t last, double noise[MEASURES_KEPT],
		  struct err *err)
{
	struct history_series_list list = { NULL, 0, 0 };
	struct history_points points = { NULL, 0, 0 };
	int rc = history_get_series(db, config, host, (int)kind, texts, &list, err);

	if (!rc && list.nr == 1)
		rc = get_good_points(db, list.v[0].id, last, &points, err);
	for (int i = 0; i < MEASURES_KEPT; i++)
		noise[i] = rc ? -1 : noise_of(&points, (enum measure)i);
	history_points_release(&points);
	history_series_release(&list);
	return rc;
}

static int take_id(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], 0);
	return 0;
}

struct acknowledging {
	const struct history_run *run;
	const struct history_acknowledged *changes;
	size_t nr;
};

static int acknowledge_one(struct database *db, const struct history_run *run,
			   const struct history_acknowledged *change, struct err *err)
{
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql, "INSERT INTO acknowledged (setup, series, metric, time, run, "
				    "note, added) SELECT setup, ");
	add_number(&statement, "", change->series);
	add_param(&statement, ", CAST(", DB_TEXT(change->metric));
	strbuf_adds(&statement.sql, " AS TEXT), time, name, ");
	add_param(&statement, "CAST(", DB_TEXT(change->note));
	strbuf_adds(&statement.sql, " AS TEXT), ");
	add_number(&statement, "", clock_wall() / NS_PER_MS);
	add_param(&statement, " FROM run WHERE id = ", DB_NUMBER(run->id));
	strbuf_adds(&statement.sql,
		    " ON CONFLICT (setup, series, metric, time) DO UPDATE SET run = "
		    "excluded.run, note = excluded.note");
	rc = run_statement(db, &statement, NULL, err);
	statement_release(&statement);
	return rc;
}

static int acknowledge(void *data, struct database *db, struct err *err)
{
	const struct acknowledging *acknowledging = data;

	for (size_t i = 0; i < acknowledging->nr; i++) {
		if (acknowledge_one(db, acknowledging->run, &acknowledging->changes[i], err))
			return -1;
	}
	return 0;
}

int history_acknowledge(struct database *db, const struct history_run *run,
			const struct history_acknowledged *changes, size_t nr, struct err *err)
{
	struct acknowledging acknowledging = { run, changes, nr };

	return database_transact(db, acknowledge, &acknowledging, err);
}

static int take_acknowledged(void *data, const struct db_value *row, struct err *err)
{
	struct history_acknowledgements *list = data;
	const struct history_acknowledged change = {
		.series = db_number(&row[0], 0),
		.metric = xstrdup(db_text(&row[1])),
		.time_ms = get_time(&row[2]),
		.run = xstrdup(db_text(&row[3])),
		.note = xstrdup(db_text(&row[4])),
	};

	ARRAY_ADD(list->v, list->nr, list->alloc, change);
	return list->nr > ROWS_MAX ? too_many(err) : 0;
}

int history_get_acknowledged(struct database *db, const char *config, const char *host,
			     struct history_acknowledgements *list, struct err *err)
{
	const struct db_taker taker = { take_acknowledged, list, 5, false };
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql, "SELECT series, metric, time, run, note FROM acknowledged JOIN "
				    "setup ON setup.id = acknowledged.setup");
	add_param(&statement, " WHERE setup.config = ", DB_TEXT(config));
	add_param(&statement, " AND setup.host = ", DB_TEXT(host));
	strbuf_adds(&statement.sql, " ORDER BY time, acknowledged.id");
	rc = run_statement(db, &statement, &taker, err);
	statement_release(&statement);
	return rc;
}

void history_acknowledgements_release(struct history_acknowledgements *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->v[i].metric);
		free(list->v[i].run);
		free(list->v[i].note);
	}
	free(list->v);
	*list = (struct history_acknowledgements){ NULL, 0, 0 };
}

struct pruning {
	const struct history_filter *filter;
	int64_t removed;
};

/* Which rows of a table are of a setup. */
#define OF_SETUPS " AND setup IN (SELECT setup.id FROM setup"
#define OF_SERIES \
	" AND series IN (SELECT series.id FROM series JOIN setup ON setup.id = series.setup"

/* Do what `sql` says, up to the name of a table, with those of its rows that are to go. */
static int prune_rows(struct database *db, const struct history_filter *filter, const char *sql,
		      const char *setups, int64_t *count, struct err *err)
{
	const struct history_filter names = { .config = filter->config, .host = filter->host };
	const struct db_taker taker = { take_id, count, 1, true };
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql, sql);
	add_param(&statement, " WHERE time < ", DB_NUMBER(filter->to_ms));
	if (names.config || names.host) {
		strbuf_adds(&statement.sql, setups);
		add_filter(&statement, &names);
		strbuf_addc(&statement.sql, ')');
	}
	rc = run_statement(db, &statement, count ? &taker : NULL, err);
	statement_release(&statement);
	return rc;
}

static int prune(void *data, struct database *db, struct err *err)
{
	struct pruning *pruning = data;
	const struct history_filter *filter = pruning->filter;

	if (prune_rows(db, filter, "SELECT count(*) FROM run", OF_SETUPS, &pruning->removed, err))
		return -1;
	if (!pruning->removed)
		return 0;
	/* Months are of all setups. */
	if (!filter->config && !filter->host && database_drop_before(db, filter->to_ms, err))
		return -1;
	return prune_rows(db, filter, "DELETE FROM result", OF_SERIES, NULL, err) ||
			       prune_rows(db, filter, "DELETE FROM run", OF_SETUPS, NULL, err) ||
			       prune_rows(db, filter, "DELETE FROM acknowledged", OF_SETUPS, NULL,
					  err)
		       ? -1
		       : 0;
}

int history_prune(struct database *db, const struct history_filter *filter, int64_t *removed,
		  struct err *err)
{
	struct pruning pruning = { filter, 0 };

	if (database_transact(db, prune, &pruning, err))
		return -1;
	*removed = pruning.removed;
	return 0;
}

int history_export(struct database *db, const struct history_filter *filter, db_row_fn *take,
		   void *data, struct err *err)
{
	const struct db_taker taker = { take, data, ARRAY_SIZE(history_export_columns) - 1, false };
	struct statement statement = STATEMENT_INIT;
	int rc;

	strbuf_adds(&statement.sql,
		    "SELECT result.time, setup.config, setup.host, run.name, run.commit_hash, "
		    "series.kind, series.part, series.role, series.crate, series.crate_type, "
		    "series.phase, series.module, series.function, wall_ns, cpu_ns, wait_ns, "
		    "size_bytes, own_peak_bytes, own_peak_time_ns, at_peak_bytes, touched_bytes, "
		    "peak_rss_bytes, count FROM run JOIN setup ON setup.id = run.setup JOIN series "
		    "ON series.setup = setup.id JOIN result ON result.series = series.id AND "
		    "result.time = run.time AND result.run = run.id");
	if (filter->last) {
		strbuf_adds(&statement.sql, " WHERE run.id IN (SELECT run.id FROM run JOIN setup "
					    "ON setup.id = run.setup");
		add_filter(&statement, filter);
		add_newest(&statement, filter->last);
		strbuf_addc(&statement.sql, ')');
	} else {
		add_filter(&statement, filter);
	}
	strbuf_adds(&statement.sql, " ORDER BY run.time, run.id, series.id");
	rc = run_statement(db, &statement, &taker, err);
	statement_release(&statement);
	return rc;
}
