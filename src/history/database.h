/*
 * A data base: SQLite in a file, or PostgreSQL on a server. What is asked of both is the same SQL.
 *
 * To add one: history/<name>.c with a `const struct database_ops`, declared below and listed in database.c; its words in
 * schema.c; a part in docs/history.md, and in tests/e2e/history-*.sh.
 */
#ifndef HISTORY_DATABASE_H
#define HISTORY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A value of a row, or of a parameter: one of both; NULL and not `is_number`: SQL's NULL. */
struct db_value {
	bool is_number;
	int64_t number;
	const char *text; /* UTF-8; of a row valid until the next one */
};

#define DB_NULL      ((struct db_value){ false, 0, NULL })
#define DB_NUMBER(n) ((struct db_value){ true, (n), NULL })
#define DB_TEXT(s)   ((struct db_value){ false, 0, (s) })

/* The value of a row as what it should be, whoever has written it. Not there, or another kind: `otherwise`, "". */
int64_t db_number(const struct db_value *value, int64_t otherwise);
const char *db_text(const struct db_value *value);

/* Called with each row of a result; -1 with `err`: no more. */
typedef int db_row_fn(void *data, const struct db_value *row, struct err *err);

/* Who takes the rows of a result. Other ones than these are refused: a server sends what it likes. */
struct db_taker {
	db_row_fn *take;
	void *data;
	int columns;
	bool one; /* one row at most */
};

struct database;
struct schema; /* history/schema.h */

enum db_access { DB_READ, DB_WRITE };

/* What differs in the words of the schema. */
struct db_dialect {
	const char *id;      /* the type of a column that numbers its rows */
	const char *results; /* after the columns of the table of results */
	const char *bigints; /* the type of whole numbers */
};

struct database_ops {
	const char *name; /* for people: "SQLite" */
	struct db_dialect dialect;
	bool creates; /* DB_WRITE makes the data base if there is none */

	/* Whether a place is of this kind: a URL. The last of the list takes what no other does. */
	bool (*takes)(const char *place);

	/* Open; `handle` for the others. Errors name the place without its secrets. */
	int (*open)(const char *place, enum db_access access, void **handle, struct err *err);
	void (*close)(void *handle);

	/*
	 * Run one statement with parameters $1, $2, ..., which are used in this order. `taker` may be NULL. ERR_CORRUPT:
	 * the data base is damaged, or no data base.
	 */
	int (*query)(void *handle, const char *sql, const struct db_value *params, size_t nr,
		     const struct db_taker *taker, struct err *err);

	/* Begin to write: others that write wait. */
	const char *begin;

	/* Whether what failed last may succeed later: others write, the server starts again. */
	bool (*may_retry)(void *handle);

	/* The version of the schema; 0: there is none. ERR_CORRUPT: what is there is not one of its versions. */
	int (*get_version)(void *handle, const struct schema *schema, int64_t *version,
			   struct err *err);

	/* In the transaction in which the schema is changed: keep others out; set the version. */
	int (*lock_schema)(void *handle, struct err *err);
	int (*set_version)(void *handle, int64_t version, struct err *err);

	/* Optional: before results of a time (milliseconds since 1970) are added; drop all that are older than a time. */
	int (*prepare_time)(void *handle, int64_t time_ms, struct err *err);
	int (*drop_before)(void *handle, int64_t time_ms, struct err *err);
};

extern const struct database_ops sqlite_database, postgres_database;

/*
 * Open the data base at a place, a path or a URL; what is in it is checked by schema_prepare(). ERR_NOT_FOUND: there is
 * none, for reading; ERR_UNSUPPORTED: the library for it is not there; ERR_USAGE: an address of another kind, of which the
 * message has the first word alone.
 */
int database_open(const char *place, enum db_access access, struct database **db, struct err *err);
void database_close(struct database *db);

/* The same with a kind that is given. NULL: failure. */
struct database *database_open_with(const struct database_ops *ops, const char *place,
				    enum db_access access, struct err *err);

const struct database_ops *database_ops_of(const struct database *db);

/* See struct database_ops. Errors of all are about the place, without its secrets. */
int database_query(struct database *db, const char *sql, const struct db_value *params, size_t nr,
		   const struct db_taker *taker, struct err *err);

/* The same of a statement without parameters and result. */
int database_run(struct database *db, const char *sql, struct err *err);

/*
 * Do work in a transaction that writes; -1 of `work` undoes it. What fails as others write, or as the server goes away, is
 * done again, for half a minute: `work` must begin anew each time. PostgreSQL is connected to again.
 */
typedef int db_work_fn(void *data, struct database *db, struct err *err);
int database_transact(struct database *db, db_work_fn *work, void *data, struct err *err);

int database_get_version(struct database *db, const struct schema *schema, int64_t *version,
			 struct err *err);
int database_lock_schema(struct database *db, struct err *err);
int database_set_version(struct database *db, int64_t version, struct err *err);
int database_prepare_time(struct database *db, int64_t time_ms, struct err *err);
int database_drop_before(struct database *db, int64_t time_ms, struct err *err);

/*
 * Whether the text up to '/' or '?' is what a URL of PostgreSQL has after the user: names or addresses of servers, with
 * ports, separated by commas, or nothing.
 */
bool postgres_has_servers(const char *text);

/* The place for messages, without user, password and parameters of a URL. The caller frees the second one. */
const char *database_name(const struct database *db);
char *database_place_name(const char *place);

#endif
