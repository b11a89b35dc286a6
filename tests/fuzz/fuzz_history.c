/*
 * Any rows as a data base may have them, of any kind and number: read as runs, series and points, and made into levels,
 * tables and graphs. The data base is a stand-in whose rows are the bytes of the input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/levels.h"
#include "history/history.h"
#include "report/history_view.h"
#include "report/trend.h"
#include "util/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMNS 32
#define ROWS    40

struct bytes {
	const uint8_t *v;
	size_t nr;
};

/* A byte says what a value is; a text ends with a byte 0. */
static struct db_value next_value(struct bytes *bytes, char text[64])
{
	uint8_t kind = bytes->nr ? *bytes->v : 0;
	int64_t number = 0;
	size_t len = 0;

	if (!bytes->nr)
		return DB_NULL;
	bytes->v++;
	bytes->nr--;
	if (kind % 4 == 0)
		return DB_NULL;
	if (kind % 4 == 1) {
		size_t nr = bytes->nr < sizeof(number) ? bytes->nr : sizeof(number);

		memcpy(&number, bytes->v, nr);
		bytes->v += nr;
		bytes->nr -= nr;
		return DB_NUMBER(number);
	}
	while (len < 63 && bytes->nr && *bytes->v) {
		text[len++] = (char)*bytes->v++;
		bytes->nr--;
	}
	if (bytes->nr) {
		bytes->v++;
		bytes->nr--;
	}
	text[len] = '\0';
	return DB_TEXT(text);
}

/* A byte says how many rows a result has, so that short inputs reach all of them. */
static int give_rows(struct bytes *bytes, const struct db_taker *taker, struct err *err)
{
	static char texts[COLUMNS][64];
	struct db_value row[COLUMNS];
	int rows = 0;

	if (bytes->nr) {
		rows = *bytes->v++ % (ROWS + 1);
		bytes->nr--;
	}
	for (int i = 0; i < rows && bytes->nr; i++) {
		for (int k = 0; k < COLUMNS; k++)
			row[k] = next_value(bytes, texts[k]);
		if (taker && taker->take(taker->data, row, err))
			return -1;
	}
	return 0;
}

static void use_values(const int64_t *values, const int64_t *times_ms, size_t nr)
{
	struct strbuf sb = STRBUF_INIT;
	struct levels levels;
	struct trend trend = { .title = "t",
			       .type = COLUMN_BYTES,
			       .values = values,
			       .times_ms = times_ms,
			       .nr = nr,
			       .levels = &levels };

	levels_find(values, nr, &levels);
	if (nr) {
		trend_add_text(&trend, 80, &sb);
		trend_add_svg(&trend, 0, &sb);
	}
	levels_release(&levels);
	strbuf_release(&sb);
}

static int take_line(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	history_add_csv(row, true, data);
	history_add_json(row, data);
	return 0;
}

static void use_tables(const struct history_runs *runs, const struct history_series_list *list,
		       const struct history_points *points)
{
	const struct table_options options = { .format = TABLE_JSON };
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/null", "w");
	const void *row;

	if (!out)
		abort();
	for (size_t i = 0; i < runs->nr; i++) {
		row = &runs->v[i];
		table_print(&history_runs_table, &options, &row, 1, out, &err);
	}
	if (runs->nr && list->nr && points->nr) {
		const struct history_value value = { &runs->v[0], &list->v[0], &points->v[0],
						     NULL };

		row = &value;
		table_print(&history_values_table, &options, &row, 1, out, &err);
	}
	fclose(out);
	err_clear(&err);
}

static struct database_ops fake;
static struct bytes given;

static int fake_open(const char *place, enum db_access access, void **handle, struct err *err)
{
	(void)place;
	(void)access;
	(void)err;
	*handle = &given;
	return 0;
}

static void fake_close(void *handle)
{
	(void)handle;
}

static int fake_query(void *handle, const char *sql, const struct db_value *params, size_t nr,
		      const struct db_taker *taker, struct err *err)
{
	(void)sql;
	(void)params;
	(void)nr;
	return give_rows(handle, taker, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct history_filter filter = { .last = 0 };
	struct history_runs runs = { NULL, 0, 0 };
	struct history_series_list list = { NULL, 0, 0 };
	struct history_points points = { NULL, 0, 0 };
	struct history_acknowledgements changes = { NULL, 0, 0 };
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct database *db;
	int64_t *values, *times_ms;

	fake.open = fake_open;
	fake.close = fake_close;
	fake.query = fake_query;
	given = (struct bytes){ data, size };
	db = database_open_with(&fake, "fake", DB_READ, &err);
	if (!db)
		abort();
	history_get_points(db, 1, 0, 0, &points, &err);
	history_get_series(db, "c", "h", -1, NULL, &list, &err);
	history_get_runs(db, &filter, &runs, &err);
	history_get_acknowledged(db, "c", "h", &changes, &err);
	history_export(db, &filter, take_line, &sb, &err);
	values = xcalloc(points.nr + 1, sizeof(*values));
	times_ms = xcalloc(points.nr + 1, sizeof(*times_ms));
	for (size_t i = 0; i < points.nr; i++) {
		values[i] = points.v[i].values.v[MEASURE_OWN_PEAK];
		times_ms[i] = points.v[i].time_ms;
	}
	use_values(values, times_ms, points.nr);
	use_tables(&runs, &list, &points);
	for (size_t i = 0; i < list.nr; i++)
		history_series_name(&list.v[i], &sb);
	free(values);
	free(times_ms);
	strbuf_release(&sb);
	history_points_release(&points);
	history_series_release(&list);
	history_runs_release(&runs);
	history_acknowledgements_release(&changes);
	database_close(db);
	err_clear(&err);
	return 0;
}
