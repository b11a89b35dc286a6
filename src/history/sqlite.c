/*
 * SQLite: one file. Writers wait for each other. The journal is SQLite's default one, not WAL: it works where readers may
 * not write, and on network file systems that have locks; an `add` writes for some 10 ms.
 */
#include "history/database.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "history/schema.h"
#include "history/sqlite_files.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/strvec.h"
#include "util/text.h"

/* "STGT": the file is a history of stagetrace (PRAGMA application_id). */
#define APPLICATION_ID 0x53544754

#define BUSY_MS 30000

/* The longest text or row; the longest of a run are names of functions. */
#define LENGTH_MAX (16 << 20)

struct sqlite {
	sqlite3 *db;
	int code; /* of what failed last */
};

static int explain(struct sqlite *sqlite, const char *what, struct err *err)
{
	int code = sqlite->db ? sqlite3_extended_errcode(sqlite->db) : SQLITE_NOMEM;

	sqlite->code = code & 0xff;
	switch (sqlite->code) {
	case SQLITE_NOTADB:
		return err_set(err, ERR_CORRUPT, "it is not an SQLite data base");
	case SQLITE_CORRUPT:
		return err_set(err, ERR_CORRUPT,
			       "the data base is damaged: nothing was changed; restore a copy, or "
			       "save what can be read with `sqlite3 FILE .recover`");
	case SQLITE_FULL:
		return err_set(err, ERR_NO_SPACE, "%s: the disk is full", what);
	case SQLITE_BUSY:
		return err_set(err, ERR_FAILED, "%s: others have been writing for %d s", what,
			       BUSY_MS / 1000);
	default:
		return err_set(err, ERR_FAILED, "%s: %s", what,
			       sqlite->db ? sqlite3_errmsg(sqlite->db) : "out of memory");
	}
}

static void sqlite_close(void *handle)
{
	struct sqlite *sqlite = handle;

	sqlite3_close(sqlite->db);
	free(sqlite);
}

static int make_directory(const char *path, struct err *err)
{
	struct strvec refused = STRVEC_INIT; /* what such a file system does not have */
	char *dir = fs_dirname(path);
	int rc = owner_mkdir_all(dir, -1, &refused, err);

	strvec_release(&refused);
	free(dir);
	return rc;
}

/* A data base that root has made by sudo for a user is that user's, as other files there. */
static void give(const char *path)
{
	char *dir = fs_dirname(path);
	struct owner owner = owner_in(dir);
	struct err ignored = ERR_INIT;

	if (owner_give(path, &owner, -1, &ignored))
		err_clear(&ignored);
	free(dir);
}

/*
 * A writer that was killed leaves a journal, by which its half transaction must be undone before anybody can read. Readers
 * cannot: one that may write the file does it as a writer.
 */
static int undo_killed(struct sqlite *sqlite, const char *path, struct err *err)
{
	static const char any[] = "PRAGMA schema_version";
	struct sqlite writer = { NULL, SQLITE_OK };
	int rc = 0;

	if (sqlite3_exec(sqlite->db, any, NULL, NULL, NULL) == SQLITE_OK ||
	    sqlite3_extended_errcode(sqlite->db) != SQLITE_READONLY_ROLLBACK)
		return 0;
	if (sqlite3_open_v2(path, &writer.db, SQLITE_OPEN_READWRITE, sqlite_files_name()) ==
	    SQLITE_OK)
		sqlite3_busy_timeout(writer.db, BUSY_MS);
	if (sqlite3_exec(writer.db, any, NULL, NULL, NULL) != SQLITE_OK) {
		rc = explain(&writer, "cannot use it", err);
		if (writer.code == SQLITE_READONLY)
			rc = err_set(err, ERR_FAILED,
				     "a program was ended while it wrote: one that may write has "
				     "to use it first, as `stagetrace history list`");
	}
	sqlite3_close(writer.db);
	return rc;
}

static int sqlite_open(const char *path, enum db_access access, void **handle, struct err *err)
{
	int flags = access == DB_READ ? SQLITE_OPEN_READONLY
				      : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	struct sqlite *sqlite;
	bool is_new;

	errno = 0;
	is_new = !fs_exists(path);
	if (is_new && errno == EACCES)
		return err_set_errno(err, errno, "cannot look for it");
	if (is_new && access == DB_READ)
		return err_set(err, ERR_NOT_FOUND,
			       "there is none: `stagetrace history add` makes it");
	if (fs_is_dir(path))
		return err_set(err, ERR_UNSUPPORTED, "it is a directory, not a data base");
	if (fs_is_link(path) && fs_size(path) < 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "it is a link to nothing: give the place that it should lead to");
	if (access == DB_WRITE && make_directory(path, err))
		return -1;
	sqlite = xcalloc(1, sizeof(*sqlite));
	if (sqlite3_open_v2(path, &sqlite->db, flags, sqlite_files_name()) != SQLITE_OK) {
		explain(sqlite, "cannot open it", err);
		sqlite_close(sqlite);
		return -1;
	}
	if (is_new)
		give(path);
	sqlite3_busy_timeout(sqlite->db, BUSY_MS);
	/* What a data base from anyone could do by its schema: functions with effects. */
	sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(sqlite->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_extended_result_codes(sqlite->db, 1);
	if (access == DB_READ && undo_killed(sqlite, path, err)) {
		sqlite_close(sqlite);
		return -1;
	}
	*handle = sqlite;
	return 0;
}

static bool bind(sqlite3_stmt *statement, const struct db_value *params, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int at = (int)i + 1, rc = SQLITE_OK;

		if (params[i].is_number)
			rc = sqlite3_bind_int64(statement, at, params[i].number);
		else if (params[i].text)
			rc = sqlite3_bind_text(statement, at, params[i].text, -1, SQLITE_STATIC);
		if (rc != SQLITE_OK)
			return false;
	}
	return true;
}

static void get_row(sqlite3_stmt *statement, struct db_value *row, int columns)
{
	for (int i = 0; i < columns; i++) {
		switch (sqlite3_column_type(statement, i)) {
		case SQLITE_INTEGER:
			row[i] = DB_NUMBER(sqlite3_column_int64(statement, i));
			break;
		case SQLITE_NULL:
			row[i] = DB_NULL;
			break;
		default:
			row[i] = DB_TEXT((const char *)sqlite3_column_text(statement, i));
		}
	}
}

static int sqlite_query(void *handle, const char *sql, const struct db_value *params, size_t nr,
			const struct db_taker *taker, struct err *err)
{
	struct sqlite *sqlite = handle;
	sqlite3_stmt *statement = NULL;
	struct db_value *row = NULL;
	int columns, step, rc = -1;

	if (sqlite3_prepare_v2(sqlite->db, sql, -1, &statement, NULL) != SQLITE_OK ||
	    !bind(statement, params, nr)) {
		explain(sqlite, "cannot use it", err);
		goto out;
	}
	columns = sqlite3_column_count(statement);
	assert(!taker || taker->columns == columns);
	row = xcalloc((size_t)columns + 1, sizeof(*row));
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		get_row(statement, row, columns);
		if (taker && taker->take(taker->data, row, err)) {
			sqlite->code = SQLITE_OK;
			goto out;
		}
	}
	if (step == SQLITE_DONE)
		rc = 0;
	else
		explain(sqlite, "cannot use it", err);
out:
	sqlite3_finalize(statement);
	free(row);
	return rc;
}

static bool sqlite_may_retry(void *handle)
{
	const struct sqlite *sqlite = handle;

	return sqlite->code == SQLITE_BUSY || sqlite->code == SQLITE_LOCKED;
}

static int take_number(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], -1);
	return 0;
}

static int get_number(void *handle, const char *sql, int64_t *number, struct err *err)
{
	const struct db_taker taker = { take_number, number, 1, true };

	*number = -1;
	return sqlite_query(handle, sql, NULL, 0, &taker, err);
}

/* Of a table, an index, a trigger or a view its name and its SQL, and the name of the table that it belongs to. */
#define PARTS   "SELECT name, sql, lower(tbl_name) FROM sqlite_master WHERE sql IS NOT NULL"
#define COLUMNS 3

/* What a version of the schema makes. */
struct parts {
	struct strbuf lines; /* each part as add_part() has it */
	struct strset tables;
	size_t seen; /* of `tables`, in the data base */
};

/* A line: no SQL of ours has a line break. */
static void add_part(struct strbuf *sb, const struct db_value *row)
{
	strbuf_addf(sb, "\n%s\t%s\n", db_text(&row[0]), db_text(&row[1]));
}

static bool has_table(const struct parts *parts, const char *name)
{
	return strset_find(&parts->tables, name) != STRSET_NONE;
}

static int take_part(void *data, const struct db_value *row, struct err *err)
{
	struct parts *parts = data;

	(void)err;
	add_part(&parts->lines, row);
	if (text_starts_with(db_text(&row[1]), "CREATE TABLE"))
		strset_add(&parts->tables, db_text(&row[2]));
	return 0;
}

/*
 * What belongs to tables of ours is ours to the letter. Else a stranger's view, computed column or trigger of such a name
 * could have rows without end. What else is there, nobody reads.
 */
static int check_part(void *data, const struct db_value *row, struct err *err)
{
	struct parts *parts = data;
	struct strbuf line = STRBUF_INIT;
	bool ours;

	if (!has_table(parts, db_text(&row[2])))
		return 0;
	add_part(&line, row);
	ours = strstr(parts->lines.buf, line.buf) != NULL;
	strbuf_release(&line);
	parts->seen += has_table(parts, db_text(&row[0]));
	return ours ? 0
		    : err_set(err, ERR_CORRUPT,
			      "'%s' in it is not as stagetrace makes it: it is left as it is",
			      db_text(&row[0]));
}

/* As SQLite has them after all steps, which may change what earlier ones made. */
static int find_parts(const struct schema *schema, int64_t version, struct parts *parts,
		      struct err *err)
{
	struct sqlite made = { NULL, SQLITE_OK };
	const struct db_taker taker = { take_part, parts, COLUMNS, false };
	char *text = schema_text(schema, version, &sqlite_database.dialect);
	int rc = -1;

	if (sqlite3_open(":memory:", &made.db) == SQLITE_OK &&
	    sqlite3_exec(made.db, text, NULL, NULL, NULL) == SQLITE_OK)
		rc = sqlite_query(&made, PARTS, NULL, 0, &taker, err);
	else
		explain(&made, "cannot make the tables", err);
	sqlite3_close(made.db);
	free(text);
	return rc;
}

static int check_schema(void *handle, const struct schema *schema, int64_t version, struct err *err)
{
	struct parts parts = { STRBUF_INIT, STRSET_INIT, 0 };
	const struct db_taker taker = { check_part, &parts, COLUMNS, false };
	int rc = find_parts(schema, version, &parts, err);

	if (!rc)
		rc = sqlite_query(handle, PARTS, NULL, 0, &taker, err);
	if (!rc && parts.seen < parts.tables.strings.nr)
		rc = err_set(err, ERR_CORRUPT,
			     "it lacks tables of stagetrace: the data base is damaged, "
			     "and left as it is");
	strbuf_release(&parts.lines);
	strset_release(&parts.tables);
	return rc;
}

static int read_version(void *handle, const struct schema *schema, int64_t *version,
			struct err *err)
{
	int64_t id, tables;

	if (get_number(handle, "SELECT count(*) FROM sqlite_master", &tables, err) ||
	    get_number(handle, "PRAGMA application_id", &id, err) ||
	    get_number(handle, "PRAGMA user_version", version, err))
		return -1;
	if (!tables && !id && !*version)
		return 0;
	if (id != APPLICATION_ID || *version < 1)
		return err_set(err, ERR_CORRUPT,
			       "the data base is not one of stagetrace: it is left as it is");
	/* Parts of a newer one may be different. */
	return *version > schema->version ? 0 : check_schema(handle, schema, *version, err);
}

/* All of one moment: another program may make the tables meanwhile. Within a transaction too. */
static int sqlite_get_version(void *handle, const struct schema *schema, int64_t *version,
			      struct err *err)
{
	struct err ignored = ERR_INIT;
	int rc = sqlite_query(handle, "SAVEPOINT moment", NULL, 0, NULL, err);

	if (rc)
		return -1;
	rc = read_version(handle, schema, version, err);
	if (sqlite_query(handle, "RELEASE moment", NULL, 0, NULL, rc ? &ignored : err))
		rc = -1;
	err_clear(&ignored);
	return rc;
}

/* BEGIN IMMEDIATE has kept others out already. */
static int sqlite_lock_schema(void *handle, struct err *err)
{
	(void)handle;
	(void)err;
	return 0;
}

static int sqlite_set_version(void *handle, int64_t version, struct err *err)
{
	struct strbuf sql = STRBUF_INIT;
	int rc;

	strbuf_addf(&sql, "PRAGMA user_version = %" PRId64, version);
	rc = sqlite_query(handle, sql.buf, NULL, 0, NULL, err);
	strbuf_clear(&sql);
	strbuf_addf(&sql, "PRAGMA application_id = %d", APPLICATION_ID);
	if (!rc)
		rc = sqlite_query(handle, sql.buf, NULL, 0, NULL, err);
	strbuf_release(&sql);
	return rc;
}

static bool sqlite_takes(const char *place)
{
	(void)place;
	return true;
}

const struct database_ops sqlite_database = {
	.name = "SQLite",
	.dialect = { .id = "INTEGER PRIMARY KEY",
		     .bigints = "INTEGER",
		     .results = "WITHOUT ROWID" },
	.creates = true,
	.takes = sqlite_takes,
	.open = sqlite_open,
	.close = sqlite_close,
	.query = sqlite_query,
	.begin = "BEGIN IMMEDIATE",
	.may_retry = sqlite_may_retry,
	.get_version = sqlite_get_version,
	.lock_schema = sqlite_lock_schema,
	.set_version = sqlite_set_version,
};
