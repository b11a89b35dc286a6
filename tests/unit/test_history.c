#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "history/history.h"
#include "history/schema.h"
#include "platform/fs.h"
#include "util/alloc.h"

#define U      MEASURE_UNKNOWN
#define MB     (INT64_C(1) << 20)
#define DAY_MS INT64_C(86400000)

struct place {
	char *dir, *path;
};

static int make_place(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));
	struct err err = ERR_INIT;

	place->dir = fs_temp_dir(&err);
	assert_non_null(place->dir);
	place->path = fs_join(place->dir, "below/history.sqlite");
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;

	fs_remove_tree(place->dir, &err);
	err_clear(&err);
	free(place->dir);
	free(place->path);
	free(place);
	return 0;
}

static struct database *open_history(void **state, enum db_access access)
{
	struct database *db = NULL;
	struct err err = ERR_INIT;

	if (history_open(((struct place *)*state)->path, access, &db, &err))
		fail_msg("%s", err.msg);
	return db;
}

/* A run of a night, with the whole build and a crate whose own peak is given. */
static bool add(struct database *db, const char *host, int night, int64_t own_peak)
{
	char name[64];
	struct history_run run = { .name = name,
				   .config = (char *)"nightly",
				   .host = (char *)host,
				   .time_ms = (night + 1) * DAY_MS,
				   .commit = (char *)"abc",
				   .dirty = -1,
				   .cpus = 4,
				   .lost = -1,
				   .foreign_permille = 12 };
	struct history_row rows[2] = {
		{ .kind = HISTORY_BUILD,
		  .values = { { own_peak * 2, U, U, U, 5, U, U, U, U, U } } },
		{ .kind = HISTORY_CRATE,
		  .texts = { [TEXT_CRATE] = (char *)"core\xff",
			     [TEXT_PART] = (char *)"stage1-std" },
		  .values = { { own_peak, 1, 2, 3, 4, 5, 6, 7, 8, 9 } } },
	};
	struct err err = ERR_INIT;
	bool added = false;

	snprintf(name, sizeof(name), "nightly-%04d", night);
	if (history_add(db, &run, rows, 2, &added, &err))
		fail_msg("%s", err.msg);
	return added;
}

static size_t count_runs(struct database *db, const char *host)
{
	const struct history_filter filter = { .host = host };
	struct history_runs runs = { NULL, 0, 0 };
	struct err err = ERR_INIT;
	size_t nr;

	assert_int_equal(history_get_runs(db, &filter, &runs, &err), 0);
	nr = runs.nr;
	history_runs_release(&runs);
	return nr;
}

static void history_add__twice__is_there_once(void **state)
{
	struct database *db = open_history(state, DB_WRITE);

	assert_true(add(db, "a", 0, 100 * MB));
	assert_false(add(db, "a", 0, 999 * MB));
	assert_true(add(db, "b", 0, 100 * MB));
	database_close(db);
	db = open_history(state, DB_WRITE);
	assert_false(add(db, "a", 0, 100 * MB));
	assert_int_equal(count_runs(db, NULL), 2);
	assert_int_equal(count_runs(db, "a"), 1);
	database_close(db);
}

static void history_points__come_back_as_they_were(void **state)
{
	const char *const crate[HISTORY_TEXTS] = { [TEXT_PART] = "stage1-std" };
	struct database *db = open_history(state, DB_WRITE);
	struct history_series_list list = { NULL, 0, 0 };
	struct history_points points = { NULL, 0, 0 };
	struct err err = ERR_INIT;

	for (int i = 9; i >= 0; i--)
		add(db, "a", i, (100 + i) * MB);
	database_close(db);
	db = open_history(state, DB_READ);
	assert_int_equal(history_get_series(db, "nightly", "a", HISTORY_CRATE, crate, &list, &err),
			 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.v[0].texts[TEXT_CRATE], "core\xef\xbf\xbd");
	assert_int_equal(history_get_points(db, list.v[0].id, 0, 3, &points, &err), 0);
	assert_int_equal(points.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(points.v[i].time_ms, (int64_t)(8 + i) * DAY_MS);
		assert_int_equal(points.v[i].values.v[MEASURE_OWN_PEAK], (int64_t)(107 + i) * MB);
		for (int k = 1; k < MEASURES_KEPT; k++)
			assert_int_equal(points.v[i].values.v[k], k);
	}
	history_points_release(&points);
	history_series_release(&list);

	assert_int_equal(history_get_series(db, "nightly", "a", HISTORY_BUILD, NULL, &list, &err),
			 0);
	assert_int_equal(history_get_points(db, list.v[0].id, 5 * DAY_MS, 0, &points, &err), 0);
	assert_int_equal(points.nr, 6);
	assert_int_equal(points.v[0].values.v[MEASURE_CPU], U);
	assert_int_equal(points.v[0].values.v[MEASURE_WALL], 5);
	history_points_release(&points);
	history_series_release(&list);
	database_close(db);
}

static void history_noise__of_enough_runs_of_one_series(void **state)
{
	const char *const crate[HISTORY_TEXTS] = { [TEXT_PART] = "stage1-std" };
	struct database *db = open_history(state, DB_WRITE);
	struct err err = ERR_INIT;
	double noise[MEASURES_KEPT];

	for (int i = 0; i < 30; i++) {
		add(db, "a", i, (100 + i % 2) * MB);
		assert_int_equal(
			history_noise(db, "nightly", "a", HISTORY_CRATE, crate, 0, noise, &err), 0);
		assert_true(i < 19 ? noise[MEASURE_OWN_PEAK] < 0
				   : noise[MEASURE_OWN_PEAK] > 0.008 &&
					     noise[MEASURE_OWN_PEAK] < 0.012);
	}
	assert_int_equal(history_noise(db, "other", "a", HISTORY_CRATE, crate, 0, noise, &err), 0);
	assert_true(noise[MEASURE_OWN_PEAK] < 0);
	database_close(db);
}

static void history_prune__removes_older_runs_with_their_results(void **state)
{
	struct database *db = open_history(state, DB_WRITE);
	const struct history_filter before = { .to_ms = 5 * DAY_MS };
	struct history_points points = { NULL, 0, 0 };
	struct err err = ERR_INIT;
	int64_t removed;

	for (int i = 0; i < 10; i++)
		add(db, "a", i, 100 * MB);
	assert_int_equal(history_prune(db, &before, &removed, &err), 0);
	assert_int_equal(removed, 4);
	assert_int_equal(count_runs(db, NULL), 6);
	assert_int_equal(history_get_points(db, 1, 0, 0, &points, &err), 0);
	assert_int_equal(points.nr, 6);
	assert_true(add(db, "a", 0, 100 * MB)); /* as if it had never been there */
	history_points_release(&points);
	database_close(db);
}

static int take_number(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], -1);
	return 0;
}

static int64_t get_number(struct database *db, const char *sql)
{
	struct err err = ERR_INIT;
	int64_t number = -1;
	const struct db_taker taker = { take_number, &number, 1, true };

	if (database_query(db, sql, NULL, 0, &taker, &err))
		fail_msg("%s", err.msg);
	return number;
}

static void history_prune__of_a_host__leaves_others(void **state)
{
	struct database *db = open_history(state, DB_WRITE);
	const struct history_filter of_b = { .host = "b", .to_ms = 5 * DAY_MS };
	const struct history_filter of_c = { .config = "other", .to_ms = 5 * DAY_MS };
	struct err err = ERR_INIT;
	int64_t removed;

	for (int i = 0; i < 10; i++) {
		add(db, "a", i, 100 * MB);
		add(db, "b", i, 100 * MB);
	}
	assert_int_equal(history_prune(db, &of_c, &removed, &err), 0);
	assert_int_equal(removed, 0);
	assert_int_equal(history_prune(db, &of_b, &removed, &err), 0);
	assert_int_equal(removed, 4);
	assert_int_equal(count_runs(db, "a"), 10);
	assert_int_equal(count_runs(db, "b"), 6);
	assert_int_equal(get_number(db, "SELECT count(*) FROM result"), 2 * 16);
	assert_int_equal(get_number(db, "SELECT count(*) FROM result WHERE run NOT IN (SELECT id "
					"FROM run)"),
			 0);
	database_close(db);
}

static int count_row(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	assert_true(db_number(&row[0], 0) >= 9 * DAY_MS);
	assert_string_equal(db_text(&row[2]), "b");
	++*(size_t *)data;
	return 0;
}

static void history_export__newest_runs__no_others(void **state)
{
	struct database *db = open_history(state, DB_WRITE);
	const struct history_filter filter = { .host = "b", .last = 2 };
	struct err err = ERR_INIT;
	size_t rows = 0;

	for (int i = 0; i < 10; i++) {
		add(db, "a", i, 100 * MB);
		add(db, "b", i, 100 * MB);
	}
	assert_int_equal(history_export(db, &filter, count_row, &rows, &err), 0);
	assert_int_equal(rows, 2 * 2);
	database_close(db);
}

static void history_acknowledge__is_read_back(void **state)
{
	struct database *db = open_history(state, DB_WRITE);
	const struct history_filter filter = { .name = "nightly-0003" };
	struct history_acknowledgements list = { NULL, 0, 0 };
	struct history_acknowledged change = { .series = 2,
					       .metric = (char *)"cpu",
					       .note = (char *)"a new LLVM" };
	struct history_runs runs = { NULL, 0, 0 };
	struct err err = ERR_INIT;

	for (int i = 0; i < 5; i++)
		add(db, "a", i, 100 * MB);
	assert_int_equal(history_get_runs(db, &filter, &runs, &err), 0);
	assert_int_equal(history_acknowledge(db, &runs.v[0], &change, 1, &err), 0);
	assert_int_equal(history_acknowledge(db, &runs.v[0], &change, 1, &err), 0);
	assert_int_equal(history_get_acknowledged(db, "nightly", "a", &list, &err), 0);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.v[0].series, 2);
	assert_int_equal(list.v[0].time_ms, 4 * DAY_MS);
	assert_string_equal(list.v[0].metric, "cpu");
	assert_string_equal(list.v[0].run, "nightly-0003");
	assert_string_equal(list.v[0].note, "a new LLVM");
	/* The runs began in 1970. */
	assert_true(get_number(db, "SELECT added FROM acknowledged") > 10000 * DAY_MS);
	history_acknowledgements_release(&list);
	history_runs_release(&runs);
	database_close(db);
}

static void expect_refusal(const char *path, enum db_access access, enum err_code code,
			   const char *text)
{
	struct database *db = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(history_open(path, access, &db, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.msg, text));
	err_clear(&err);
}

static void history_open__not_ours__is_refused_and_stays(void **state)
{
	const char *path = ((struct place *)*state)->path;
	static const char noise[] = "this is not a data base at all, however long it may get to be";
	struct database *db;
	struct err err = ERR_INIT;
	struct strbuf after = STRBUF_INIT;

	expect_refusal(path, DB_READ, ERR_NOT_FOUND, "there is none");
	assert_false(fs_exists(path));
	db = open_history(state, DB_WRITE);
	assert_int_equal(database_run(db, "PRAGMA user_version = 99", &err), 0);
	database_close(db);
	expect_refusal(path, DB_READ, ERR_UNSUPPORTED, "newer version of stagetrace (schema 99");
	expect_refusal(path, DB_WRITE, ERR_UNSUPPORTED, "newer version of stagetrace (schema 99");

	assert_int_equal(fs_write_atomic(path, noise, sizeof(noise), &err), 0);
	expect_refusal(path, DB_WRITE, ERR_CORRUPT, "not an SQLite data base");
	assert_int_equal(fs_read(path, 1000, &after, &err), 0);
	assert_memory_equal(after.buf, noise, sizeof(noise));
	strbuf_release(&after);
}

/* What a stranger could put in the place of a table, or beside it: rows without end, values of a gigabyte. */
static void history_open__schema_of_a_stranger__is_refused(void **state)
{
	static const char *const changes[][3] = {
		{ "DROP TABLE run",
		  "CREATE VIEW RUN AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL "
		  "SELECT id + 1 FROM c) SELECT id FROM c",
		  "'RUN' in it is not as stagetrace makes it" },
		{ "CREATE TRIGGER added AFTER INSERT ON run BEGIN DELETE FROM result; END", NULL,
		  "'added' in it" },
		{ "DROP TABLE acknowledged",
		  "CREATE TABLE acknowledged (id, note TEXT AS (hex(zeroblob(400000000))))",
		  "'acknowledged' in it" },
		{ "CREATE INDEX slow ON run (hex(zeroblob(400000000)))", NULL, "'slow' in it" },
		{ "DROP TABLE series", NULL, "it lacks tables of stagetrace" },
		{ "DROP VIEW point", "DROP TABLE result", "it lacks tables of stagetrace" },
	};
	const char *path = ((struct place *)*state)->path;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct database *db = open_history(state, DB_WRITE);

		for (int k = 0; k < 2 && changes[i][k]; k++)
			assert_int_equal(database_run(db, changes[i][k], &err), 0);
		database_close(db);
		expect_refusal(path, DB_READ, ERR_CORRUPT, changes[i][2]);
		expect_refusal(path, DB_WRITE, ERR_CORRUPT, changes[i][2]);
		assert_int_equal(fs_remove(path, &err), 0);
	}
}

/* Runs of one moment are in the order in which they were added, whatever index the data base takes. */
static void history_setups__runs_of_one_moment__have_an_order(void **state)
{
	const struct history_filter filter = { .last = 0 };
	struct database *db = open_history(state, DB_WRITE);
	struct history_runs newest = { NULL, 0, 0 };
	struct err err = ERR_INIT;

	add(db, "a", 1, MB);
	add(db, "b", 2, MB);
	add(db, "a", 3, MB);
	assert_int_equal(database_run(db, "UPDATE run SET time = 7", &err), 0);
	assert_int_equal(database_run(db, "DROP INDEX run_time", &err), 0);
	assert_int_equal(database_run(db, "DROP INDEX run_newest", &err), 0);
	assert_int_equal(history_get_setups(db, &filter, &newest, &err), 0);
	assert_int_equal(newest.nr, 2);
	assert_string_equal(newest.v[0].name, "nightly-0003");
	assert_string_equal(newest.v[1].name, "nightly-0002");
	history_runs_release(&newest);
	database_close(db);
}

/* Another program that makes the data base as soon as this one has begun to look at it. */
static const char *made_meanwhile;

static int make_meanwhile(unsigned int event, void *data, void *statement, void *text)
{
	const char *path = made_meanwhile;
	sqlite3 *db;

	(void)event;
	(void)data;
	(void)statement;
	if (!path || strcmp(text, "PRAGMA user_version") != 0)
		return 0;
	made_meanwhile = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(
		db,
		"BEGIN IMMEDIATE; CREATE TABLE setup (id); PRAGMA application_id = 1398032212; "
		"PRAGMA user_version = 1; COMMIT",
		NULL, NULL, NULL);
	sqlite3_close(db);
	return 0;
}

static int watch(sqlite3 *db, char **message, const void *routines)
{
	(void)message;
	(void)routines;
	return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, make_meanwhile, NULL);
}

static void history_open__another_program_makes_it_meanwhile__is_of_one_moment(void **state)
{
	sqlite3_auto_extension((void (*)(void))watch);
	made_meanwhile = ((struct place *)*state)->path;
	database_close(open_history(state, DB_WRITE));
	sqlite3_reset_auto_extension();
	assert_null(made_meanwhile);
}

static void history_open__tables_of_others__are_left_alone(void **state)
{
	struct database *db = open_history(state, DB_WRITE);
	struct err err = ERR_INIT;

	assert_int_equal(database_run(db, "CREATE TABLE mine (x)", &err), 0);
	assert_int_equal(database_run(db, "CREATE VIEW names AS SELECT name FROM run", &err), 0);
	database_close(db);
	database_close(open_history(state, DB_WRITE));
}

static void database_place_name__has_no_secrets(void **state)
{
	static const struct {
		const char *place, *name;
	} rows[] = {
		{ "runs/history.sqlite", "runs/history.sqlite" },
		{ "postgresql://host/name", "postgresql://host/name" },
		{ "postgresql://user:secret@host:5432/name?password=secret",
		  "postgresql://host:5432/name" },
		{ "postgres://user:se@cr/et@host/name#secret", "postgresql://host/name" },
		{ "postgresql:///name?host=/tmp&password=secret@", "postgresql:///name" },
		{ "postgresql://", "postgresql://" },
		/* libpq connects with these. */
		{ "postgresql://user:se#cr@host/name", "postgresql://host/name" },
		{ "postgresql://user:se?cr@host/name", "postgresql://host/name" },
		{ "postgresql://user:s?c@r@host:1/name", "postgresql://host:1/name" },
		{ "postgresql://user:secret@a:1,[::1]:2,b/name",
		  "postgresql://a:1,[::1]:2,b/name" },
		/* It does not with these, in which a slash is not escaped, or the host is missing. */
		{ "postgresql://user:se#c/ret@host/name", "postgresql://" },
		{ "postgresql://user:se?c/ret@host/name", "postgresql://" },
		{ "postgresql://user:secret", "postgresql://" },
		{ "postgresql://[user:secret", "postgresql://" },
		/* Addresses of no kind. */
		{ "mysql://user:secret@host/name", "mysql" },
		{ "PostgreSQL://user:secret@host/name", "PostgreSQL" },
		{ "postgresql:/user:secret@host/name", "postgresql" },
		{ "'postgresql://user:secret@host/name'", "postgresql" },
		{ "host=secret password=secret", "host" },
		{ " password = secret", "password" },
		{ "user:secret@host/name", "user" },
		{ "u:secret@host/name", "u" },
		{ "//user:secret@host/name", "" },
		{ "://user:secret@host", "" },
		/* Files. */
		{ "./mysql://name", "./mysql://name" },
		{ "/tmp/a=b:c@d", "/tmp/a=b:c@d" },
		{ "C:\\runs\\history.sqlite", "C:\\runs\\history.sqlite" },
		{ "C:history.sqlite", "C:history.sqlite" },
		{ "//server/runs/history.sqlite", "//server/runs/history.sqlite" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *name = database_place_name(rows[i].place);

		assert_string_equal(name, rows[i].name);
		free(name);
	}
}

static void database_open__address_of_no_kind__is_refused(void **state)
{
	static const char *const places[] = {
		"mysql://user:secret@host/name",
		"PostgreSQL://user:secret@host/name",
		"postgresql:/user:secret@host/name",
		"host=host password=secret",
		"u:secret@host",
		"//user:secret@host/name",
		":memory:",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct database *db = NULL;
		struct err err = ERR_INIT;

		assert_int_equal(database_open(places[i], DB_WRITE, &db, &err), -1);
		assert_null(db);
		assert_int_equal(err.code, ERR_USAGE);
		assert_null(strstr(err.msg, "secret"));
		assert_false(fs_exists(places[i]));
		err_clear(&err);
	}
}

static void schema_text__has_the_words_of_each(void **state)
{
	int64_t newest = history_schema.version;
	char *sqlite = schema_text(&history_schema, newest, &sqlite_database.dialect);
	char *postgres = schema_text(&history_schema, newest, &postgres_database.dialect);

	(void)state;
	assert_null(strchr(sqlite, '@'));
	assert_null(strchr(postgres, '@'));
	assert_non_null(strstr(sqlite, "WITHOUT ROWID"));
	assert_non_null(strstr(postgres, "PARTITION BY RANGE (time)"));
	free(sqlite);
	free(postgres);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(history_add__twice__is_there_once),
		TEST(history_points__come_back_as_they_were),
		TEST(history_noise__of_enough_runs_of_one_series),
		TEST(history_prune__removes_older_runs_with_their_results),
		TEST(history_prune__of_a_host__leaves_others),
		TEST(history_export__newest_runs__no_others),
		TEST(history_acknowledge__is_read_back),
		TEST(history_open__not_ours__is_refused_and_stays),
		TEST(history_open__schema_of_a_stranger__is_refused),
		TEST(history_setups__runs_of_one_moment__have_an_order),
		TEST(history_open__another_program_makes_it_meanwhile__is_of_one_moment),
		TEST(history_open__tables_of_others__are_left_alone),
		cmocka_unit_test(database_place_name__has_no_secrets),
		cmocka_unit_test(database_open__address_of_no_kind__is_refused),
		cmocka_unit_test(schema_text__has_the_words_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
