#include "history/schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/strbuf.h"

/*
 * Each step is SQL statements in which @ID@, @INT@ and @RESULTS@ are words of the dialect. Texts that are not known are "",
 * so that they can be in unique keys; numbers that are not known are NULL. Times are milliseconds since 1970.
 */
static const char *const step_1[] = {
	/* Runs that can be compared: those of one configuration on one host. */
	"CREATE TABLE setup (id @ID@, config TEXT NOT NULL, host TEXT NOT NULL, "
	"UNIQUE (config, host))",

	"CREATE TABLE run (id @ID@, name TEXT NOT NULL, setup @INT@ NOT NULL, time @INT@ NOT NULL, "
	"commit_hash TEXT NOT NULL, branch TEXT NOT NULL, dirty @INT@, version TEXT NOT NULL, "
	"recorder TEXT NOT NULL, kernel TEXT NOT NULL, cpu TEXT NOT NULL, cpus @INT@, "
	"settings TEXT NOT NULL, gates TEXT NOT NULL, failed @INT@ NOT NULL, lost @INT@, "
	"foreign_permille @INT@, added @INT@ NOT NULL, UNIQUE (setup, name))",
	"CREATE INDEX run_time ON run (setup, time)",
	"CREATE INDEX run_name ON run (name)",
	"CREATE INDEX run_newest ON run (time)",

	/* What values are of; `kind` says which of the texts are set. */
	"CREATE TABLE series (id @ID@, setup @INT@ NOT NULL, kind TEXT NOT NULL, part TEXT NOT "
	"NULL, "
	"role TEXT NOT NULL, crate TEXT NOT NULL, crate_type TEXT NOT NULL, phase TEXT NOT NULL, "
	"module TEXT NOT NULL, function TEXT NOT NULL, UNIQUE (setup, kind, crate, part, role, "
	"crate_type, phase, module, function))",
	"CREATE INDEX series_crate ON series (crate, kind)",

	/* A series is one range of the key, by time: its newest values are read without those of any other series. */
	"CREATE TABLE result (series @INT@ NOT NULL, time @INT@ NOT NULL, run @INT@ NOT NULL, "
	"wall_ns @INT@, cpu_ns @INT@, wait_ns @INT@, size_bytes @INT@, own_peak_bytes @INT@, "
	"own_peak_time_ns @INT@, at_peak_bytes @INT@, touched_bytes @INT@, peak_rss_bytes @INT@, "
	"count @INT@, PRIMARY KEY (series, time, run)) @RESULTS@",

	/* Changes of a level that are known. series 0 and metric "": all of the setup. */
	"CREATE TABLE acknowledged (id @ID@, setup @INT@ NOT NULL, series @INT@ NOT NULL, "
	"metric TEXT NOT NULL, time @INT@ NOT NULL, run TEXT NOT NULL, note TEXT NOT NULL, "
	"added @INT@ NOT NULL, UNIQUE (setup, series, metric, time))",

	/* For people, and for Grafana: results with all texts. */
	"CREATE VIEW point AS SELECT result.time AS time_ms, setup.config, setup.host, run.name AS "
	"run, "
	"run.commit_hash, series.kind, series.part, series.role, series.crate, series.crate_type, "
	"series.phase, series.module, series.function, result.wall_ns, result.cpu_ns, "
	"result.wait_ns, "
	"result.size_bytes, result.own_peak_bytes, result.own_peak_time_ns, result.at_peak_bytes, "
	"result.touched_bytes, result.peak_rss_bytes, result.count FROM series JOIN setup ON "
	"setup.id = series.setup JOIN result ON result.series = series.id JOIN run ON run.id = "
	"result.run",
	NULL,
};

static const char *const *const steps[] = { step_1 };

const struct schema history_schema = { steps, (int64_t)ARRAY_SIZE(steps) };

static void add_words(struct strbuf *sb, const char *sql, const struct db_dialect *dialect)
{
	const struct {
		const char *sign, *words;
	} signs[] = {
		{ "@ID@", dialect->id },
		{ "@INT@", dialect->bigints },
		{ "@RESULTS@", dialect->results },
	};

	while (*sql) {
		size_t i = 0;

		while (i < ARRAY_SIZE(signs) && strncmp(sql, signs[i].sign, strlen(signs[i].sign)))
			i++;
		if (i < ARRAY_SIZE(signs)) {
			strbuf_adds(sb, signs[i].words);
			sql += strlen(signs[i].sign);
		} else {
			strbuf_addc(sb, *sql++);
		}
	}
}

char *schema_text(const struct schema *schema, int64_t version, const struct db_dialect *dialect)
{
	struct strbuf sb = STRBUF_INIT;

	for (int64_t step = 0; step < version; step++) {
		for (const char *const *sql = schema->steps[step]; *sql; sql++) {
			add_words(&sb, *sql, dialect);
			strbuf_adds(&sb, ";\n");
		}
	}
	return strbuf_detach(&sb);
}

static int run_step(struct database *db, const char *const *sql, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc = 0;

	for (; *sql && !rc; sql++) {
		strbuf_clear(&sb);
		add_words(&sb, *sql, &database_ops_of(db)->dialect);
		rc = database_run(db, sb.buf, err);
	}
	strbuf_release(&sb);
	return rc;
}

static int refuse_newer(struct database *db, const struct schema *schema, int64_t version,
			struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "history '%s' is of a newer version of stagetrace (schema %" PRId64
		       ", this version has %" PRId64 ")",
		       database_name(db), version, schema->version);
}

/* Others may have done it since the version was read, and more. */
static int migrate(void *data, struct database *db, struct err *err)
{
	const struct schema *schema = data;
	int64_t version;

	if (database_lock_schema(db, err) || database_get_version(db, schema, &version, err))
		return -1;
	if (version > schema->version)
		return refuse_newer(db, schema, version, err);
	for (; version < schema->version; version++) {
		if (run_step(db, schema->steps[version], err) ||
		    database_set_version(db, version + 1, err))
			return -1;
	}
	return 0;
}

int schema_prepare(struct database *db, const struct schema *schema, enum db_access access,
		   struct err *err)
{
	struct schema wanted = *schema;
	int64_t version;

	if (database_get_version(db, schema, &version, err))
		return -1;
	if (version > schema->version)
		return refuse_newer(db, schema, version, err);
	if (version == schema->version)
		return 0;
	if (access == DB_READ && !version)
		return err_set(err, ERR_NOT_FOUND,
			       "history '%s' has no runs yet: `stagetrace history add` makes it",
			       database_name(db));
	if (access == DB_READ)
		return err_set(err, ERR_UNSUPPORTED,
			       "history '%s' is of an older version of stagetrace: the next "
			       "`stagetrace history add` brings it to this one",
			       database_name(db));
	return database_transact(db, migrate, &wanted, err);
}
