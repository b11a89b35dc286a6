/*
 * Adds a run. What it writes is in one transaction, so that a run is in the history as a whole or not at all; what is there
 * already is left alone. Rows are inserted many at a time: a server is asked some ten times for a run.
 */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"
#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/strvec.h"
#include "util/text.h"
#include "util/utf8.h"

#define ROWS_AT_A_TIME 500

#define KIND_AND_TEXTS (1 + HISTORY_TEXTS)

/* More of a setup are not looked through. */
#define SERIES_MAX 2000000

/* A run on its way into the data base. */
struct adding {
	const struct history_run *run;
	const struct history_row *rows;
	size_t rows_nr;
	struct strvec texts; /* what was made for it */
	struct strset
		names; /* of series, of those of the setup and then those of rows; as below: */
	int64_t *ids;  /* of these in the data base; 0: none */
	size_t ids_alloc;
	const char **name_texts; /* of these, KIND_AND_TEXTS each */
	size_t name_texts_alloc;
	uint32_t *row_names; /* by row its name */
	int64_t setup, id;   /* the ids of both */
	int found;           /* series of the setup */
	bool there;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* As PostgreSQL takes it: UTF-8. */
static const char *clean(struct adding *adding, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	text = or_empty(text);
	if (utf8_valid(text, strlen(text)))
		return text;
	utf8_add_clean(&sb, text, strlen(text));
	strvec_push_nodup(&adding->texts, strbuf_detach(&sb));
	return adding->texts.v[adding->texts.nr - 1];
}

static struct db_value number_or_null(int64_t number, int64_t unknown)
{
	return number == unknown ? DB_NULL : DB_NUMBER(number);
}

static int take_id(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], 0);
	return 0;
}

static int add_setup(struct adding *adding, struct database *db, struct err *err)
{
	const struct db_value texts[] = { DB_TEXT(clean(adding, adding->run->config)),
					  DB_TEXT(clean(adding, adding->run->host)) };
	const struct db_taker taker = { take_id, &adding->setup, 1, true };

	adding->setup = 0;
	if (database_query(
		    db, "INSERT INTO setup (config, host) VALUES ($1, $2) ON CONFLICT DO NOTHING",
		    texts, ARRAY_SIZE(texts), NULL, err) ||
	    database_query(db, "SELECT id FROM setup WHERE config = $1 AND host = $2", texts,
			   ARRAY_SIZE(texts), &taker, err))
		return -1;
	return adding->setup ? 0
			     : err_set(err, ERR_FAILED,
				       "the configuration and the host were not kept: they have no "
				       "number");
}

static int add_run(struct adding *adding, struct database *db, struct err *err)
{
	const struct history_run *run = adding->run;
	const struct db_value values[] = {
		DB_TEXT(clean(adding, run->name)),
		DB_NUMBER(adding->setup),
		DB_NUMBER(run->time_ms),
		DB_TEXT(clean(adding, run->commit)),
		DB_TEXT(clean(adding, run->branch)),
		number_or_null(run->dirty, -1),
		DB_TEXT(clean(adding, run->version)),
		DB_TEXT(clean(adding, run->recorder)),
		DB_TEXT(clean(adding, run->kernel)),
		DB_TEXT(clean(adding, run->cpu)),
		number_or_null(run->cpus, -1),
		DB_TEXT(clean(adding, run->settings)),
		DB_TEXT(clean(adding, run->gates)),
		DB_NUMBER(run->failed),
		number_or_null(run->lost, -1),
		number_or_null(run->foreign_permille, -1),
		DB_NUMBER(clock_wall() / NS_PER_MS),
	};

	const struct db_taker taker = { take_id, &adding->id, 1, true };

	adding->id = 0;
	return database_query(
		db,
		"INSERT INTO run (name, setup, time, commit_hash, branch, dirty, "
		"version, recorder, kernel, cpu, cpus, settings, gates, failed, lost, "
		"foreign_permille, added) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
		"$10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING "
		"RETURNING id",
		values, ARRAY_SIZE(values), &taker, err);
}

/* A run that is there as one that failed, before `stagetrace recover` finished it, makes room for it. */
static int remove_failed(struct adding *adding, struct database *db, struct err *err)
{
	const struct db_value key[] = { DB_NUMBER(adding->setup),
					DB_TEXT(clean(adding, adding->run->name)),
					DB_NUMBER(adding->run->time_ms) };
	int64_t id = 0;
	const struct db_taker taker = { take_id, &id, 1, true };
	struct db_value of_run[2] = { DB_NUMBER(adding->run->time_ms) };

	if (database_query(db,
			   "SELECT id FROM run WHERE setup = $1 AND name = $2 AND time = $3 AND "
			   "failed <> 0",
			   key, ARRAY_SIZE(key), &taker, err))
		return -1;
	if (!id)
		return 0;
	of_run[1] = DB_NUMBER(id);
	return database_query(db, "DELETE FROM result WHERE time = $1 AND run = $2", of_run, 2,
			      NULL, err) ||
			       database_query(db, "DELETE FROM run WHERE id = $1", &of_run[1], 1,
					      NULL, err)
		       ? -1
		       : 0;
}

/* The number of a series in adding->names; `texts` are its kind and its texts, borrowed. */
static uint32_t name_series(struct adding *adding, const char *const *texts)
{
	struct strbuf name = STRBUF_INIT;
	size_t before = adding->names.strings.nr;
	uint32_t number;

	for (size_t i = 0; i < KIND_AND_TEXTS; i++) {
		strbuf_adds(&name, texts[i]);
		strbuf_addc(&name, '\x1f');
	}
	number = strset_add(&adding->names, name.buf);
	strbuf_release(&name);
	if (number < before)
		return number;
	ARRAY_GROW(adding->ids, (size_t)number + 1, adding->ids_alloc);
	ARRAY_GROW(adding->name_texts, ((size_t)number + 1) * KIND_AND_TEXTS,
		   adding->name_texts_alloc);
	adding->ids[number] = 0;
	memcpy(&adding->name_texts[number * KIND_AND_TEXTS], texts,
	       KIND_AND_TEXTS * sizeof(*texts));
	return number;
}

static void name_rows(struct adding *adding)
{
	adding->row_names = xcalloc(adding->rows_nr + 1, sizeof(*adding->row_names));
	for (size_t i = 0; i < adding->rows_nr; i++) {
		const char *texts[KIND_AND_TEXTS] = { history_kind_names[adding->rows[i].kind] };

		for (int k = 0; k < HISTORY_TEXTS; k++)
			texts[1 + k] = clean(adding, adding->rows[i].texts[k]);
		adding->row_names[i] = name_series(adding, texts);
	}
}

/* A series of the setup: its id, if a row has it. */
static int take_series(void *data, const struct db_value *row, struct err *err)
{
	struct adding *adding = data;
	struct strbuf name = STRBUF_INIT;
	uint32_t number;

	if (++adding->found > SERIES_MAX)
		return err_set(err, ERR_UNSUPPORTED, "there are more than %d series", SERIES_MAX);
	for (size_t i = 0; i < KIND_AND_TEXTS; i++) {
		strbuf_adds(&name, db_text(&row[1 + i]));
		strbuf_addc(&name, '\x1f');
	}
	number = strset_find(&adding->names, name.buf);
	if (number != STRSET_NONE)
		adding->ids[number] = db_number(&row[0], 0);
	strbuf_release(&name);
	return 0;
}

static int find_series(struct adding *adding, struct database *db, struct err *err)
{
	const struct db_value setup = DB_NUMBER(adding->setup);
	const struct db_taker taker = { take_series, adding, 1 + KIND_AND_TEXTS, false };

	adding->found = 0;
	return database_query(db,
			      "SELECT id, kind, part, role, crate, crate_type, phase, module, "
			      "function FROM series WHERE setup = $1",
			      &setup, 1, &taker, err);
}

/* Rows of values for one INSERT at a time. */
struct insertion {
	struct strbuf sql;
	struct db_value *params;
	size_t nr, alloc, rows;
	const char *start, *end;
};

static void insertion_begin_row(struct insertion *insertion)
{
	strbuf_adds(&insertion->sql, insertion->rows++ ? ", (" : insertion->start);
}

static void insertion_add(struct insertion *insertion, const char *before, struct db_value value)
{
	ARRAY_ADD(insertion->params, insertion->nr, insertion->alloc, value);
	strbuf_addf(&insertion->sql, "%s$%zu", before, insertion->nr);
}

/* Run it if it has many rows, or `all`. */
static int insertion_run(struct insertion *insertion, struct database *db, bool all,
			 struct err *err)
{
	int rc;

	if (!insertion->rows || (!all && insertion->rows < ROWS_AT_A_TIME))
		return 0;
	strbuf_adds(&insertion->sql, insertion->end);
	rc = database_query(db, insertion->sql.buf, insertion->params, insertion->nr, NULL, err);
	strbuf_clear(&insertion->sql);
	insertion->nr = insertion->rows = 0;
	return rc;
}

static void insertion_release(struct insertion *insertion)
{
	strbuf_release(&insertion->sql);
	free(insertion->params);
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	for (size_t i = 0; i < KIND_AND_TEXTS; i++) {
		int order = strcmp(x[i], y[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Those that are new, in one order for all who add: else two would wait for each other. */
static int add_series(struct adding *adding, struct database *db, struct err *err)
{
	const char *(*sorted)[KIND_AND_TEXTS];
	struct insertion insertion = {
		.sql = STRBUF_INIT,
		.start = "INSERT INTO series (setup, kind, part, role, crate, crate_type, phase, "
			 "module, function) VALUES (",
		.end = " ON CONFLICT DO NOTHING",
	};
	size_t nr = 0;
	int rc = 0;

	sorted = xcalloc(adding->names.strings.nr + 1, sizeof(*sorted));
	for (size_t i = 0; i < adding->names.strings.nr; i++) {
		if (!adding->ids[i])
			memcpy(sorted[nr++], &adding->name_texts[i * KIND_AND_TEXTS],
			       sizeof(*sorted));
	}
	qsort(sorted, nr, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < nr && !rc; i++) {
		insertion_begin_row(&insertion);
		insertion_add(&insertion, "", DB_NUMBER(adding->setup));
		for (size_t k = 0; k < KIND_AND_TEXTS; k++)
			insertion_add(&insertion, ", ", DB_TEXT(sorted[i][k]));
		strbuf_addc(&insertion.sql, ')');
		rc = insertion_run(&insertion, db, false, err);
	}
	if (!rc)
		rc = insertion_run(&insertion, db, true, err);
	insertion_release(&insertion);
	free(sorted);
	return rc || !nr ? rc : find_series(adding, db, err);
}

static int add_results(struct adding *adding, struct database *db, struct err *err)
{
	struct insertion insertion = {
		.sql = STRBUF_INIT,
		.start = "INSERT INTO result (series, time, run, own_peak_bytes, at_peak_bytes, "
			 "size_bytes, cpu_ns, wall_ns, wait_ns, own_peak_time_ns, touched_bytes, "
			 "peak_rss_bytes, count) VALUES (",
		.end = " ON CONFLICT DO NOTHING",
	};
	int rc = 0;

	for (size_t i = 0; i < adding->rows_nr && !rc; i++) {
		int64_t series = adding->ids[adding->row_names[i]];

		if (!series) {
			rc = err_set(err, ERR_FAILED, "a series was not kept: it has no number");
			break;
		}
		insertion_begin_row(&insertion);
		insertion_add(&insertion, "", DB_NUMBER(series));
		insertion_add(&insertion, ", ", DB_NUMBER(adding->run->time_ms));
		insertion_add(&insertion, ", ", DB_NUMBER(adding->id));
		for (int k = 0; k < MEASURES_KEPT; k++)
			insertion_add(&insertion, ", ",
				      number_or_null(adding->rows[i].values.v[k], MEASURE_UNKNOWN));
		strbuf_addc(&insertion.sql, ')');
		rc = insertion_run(&insertion, db, false, err);
	}
	if (!rc)
		rc = insertion_run(&insertion, db, true, err);
	insertion_release(&insertion);
	return rc;
}

static int add(void *data, struct database *db, struct err *err)
{
	struct adding *adding = data;

	adding->there = false;
	if (database_prepare_time(db, adding->run->time_ms, err) || add_setup(adding, db, err) ||
	    (!adding->run->failed && remove_failed(adding, db, err)) || add_run(adding, db, err))
		return -1;
	adding->there = !adding->id;
	if (adding->there)
		return 0;
	if (adding->names.strings.nr)
		memset(adding->ids, 0, adding->names.strings.nr * sizeof(*adding->ids));
	return find_series(adding, db, err) || add_series(adding, db, err) ||
			       add_results(adding, db, err)
		       ? -1
		       : 0;
}

int history_add(struct database *db, const struct history_run *run, const struct history_row *rows,
		size_t rows_nr, bool *added, struct err *err)
{
	struct adding adding = { .run = run,
				 .rows = rows,
				 .rows_nr = rows_nr,
				 .texts = STRVEC_INIT,
				 .names = STRSET_INIT };
	int rc;

	name_rows(&adding);
	rc = database_transact(db, add, &adding, err);
	*added = !rc && !adding.there;
	strvec_release(&adding.texts);
	strset_release(&adding.names);
	free(adding.ids);
	free(adding.name_texts);
	free(adding.row_names);
	return rc;
}
