/*
 * PostgreSQL: one server for many machines, by libpq, which is loaded when a place is a URL of it. Results are in
 * tables by month: old ones are dropped with their table.
 *
 * Whoever speaks the protocol is a server: what was not asked for ends the connection, and so does silence.
 *
 * Passwords: what libpq says of a URL that it cannot read may quote parts of it, so that is never shown; in all other
 * messages the password is replaced, wherever it is from.
 */
#include "history/database.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/silence.h"
#include "platform/clock.h"
#include "platform/shared_library.h"
#include "platform/socket.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/text.h"

#define NAME   "libpq"
#define SECRET "***"

/* More tables of results are not looked at: of 2000 years. */
#define MONTHS_MAX 24000

/* Keeps the steps of two that add to a schema, or make a month, apart: any number that others do not use. */
#define LOCK_SQL "SELECT pg_advisory_xact_lock(6007626714820231)"

/* The part of libpq's interface (libpq-fe.h, stable since 9.2) that is used. */
struct connection;
struct answer;
struct conninfo { /* PQconninfoOption */
	char *keyword, *envvar, *compiled, *val, *label, *dispchar;
	int dispsize;
};
typedef void notice_fn(void *data, const char *message);

enum { CONNECTION_OK = 0 };
enum {
	RESULT_COMMAND_OK = 1,
	RESULT_TUPLES_OK = 2,
	RESULT_COPY_OUT = 3,
	RESULT_COPY_IN = 4,
	RESULT_COPY_BOTH = 8,
	RESULT_SINGLE_TUPLE = 9
};
enum { FIELD_SQLSTATE = 'C' };

struct postgres_library {
	struct conninfo *(*parse)(const char *info, char **message);
	void (*parse_free)(struct conninfo *info);
	void (*free)(void *memory);
	struct connection *(*connect)(const char *const *keys, const char *const *values,
				      int expand);
	void (*finish)(struct connection *connection);
	int (*status)(const struct connection *connection);
	char *(*message)(const struct connection *connection);
	char *(*password)(const struct connection *connection);
	notice_fn *(*set_notices)(struct connection *connection, notice_fn *take, void *data);
	int (*send)(struct connection *connection, const char *sql, int nr,
		    const unsigned int *types, const char *const *values, const int *lengths,
		    const int *formats, int format);
	int (*by_rows)(struct connection *connection);
	int (*socket)(const struct connection *connection);
	int (*set_nonblocking)(struct connection *connection, int nonblocking);
	int (*flush)(struct connection *connection);
	int (*consume)(struct connection *connection);
	int (*is_busy)(struct connection *connection);
	struct answer *(*answer)(struct connection *connection);
	int (*answer_status)(const struct answer *answer);
	char *(*answer_field)(const struct answer *answer, int field);
	int (*rows)(const struct answer *answer);
	int (*columns)(const struct answer *answer);
	char *(*value)(const struct answer *answer, int row, int column);
	int (*is_null)(const struct answer *answer, int row, int column);
	void (*clear)(struct answer *answer);
};

struct postgres {
	struct postgres_library library;
	struct connection *connection;
	struct strvec secrets;
	int64_t silence_ns;
	bool retry;  /* what failed last may succeed later */
	bool broken; /* no query can be sent any more */
};

static int load(struct postgres_library *library, struct err *err)
{
	static const char *const files[] = { "libpq.so.5", "libpq.dll", NULL };
	const struct library_function functions[] = {
		{ "PQconninfoParse", &library->parse },
		{ "PQconninfoFree", &library->parse_free },
		{ "PQfreemem", &library->free },
		{ "PQconnectdbParams", &library->connect },
		{ "PQfinish", &library->finish },
		{ "PQstatus", &library->status },
		{ "PQerrorMessage", &library->message },
		{ "PQpass", &library->password },
		{ "PQsetNoticeProcessor", &library->set_notices },
		{ "PQsendQueryParams", &library->send },
		{ "PQsetSingleRowMode", &library->by_rows },
		{ "PQsocket", &library->socket },
		{ "PQsetnonblocking", &library->set_nonblocking },
		{ "PQflush", &library->flush },
		{ "PQconsumeInput", &library->consume },
		{ "PQisBusy", &library->is_busy },
		{ "PQgetResult", &library->answer },
		{ "PQresultStatus", &library->answer_status },
		{ "PQresultErrorField", &library->answer_field },
		{ "PQntuples", &library->rows },
		{ "PQnfields", &library->columns },
		{ "PQgetvalue", &library->value },
		{ "PQgetisnull", &library->is_null },
		{ "PQclear", &library->clear },
		{ NULL, NULL },
	};
	const struct shared_library shared = { NAME, "Debian: the package libpq5", files,
					       functions };

	return shared_library_load(&shared, err);
}

static int compare_lengths(const void *a, const void *b)
{
	size_t x = strlen(*(char *const *)a), y = strlen(*(char *const *)b);

	return (x < y) - (x > y);
}

/* The longest first: of a secret that has another one in it nothing may be left. */
static void hide_secrets(const struct postgres *postgres, struct err *message)
{
	const struct strvec *secrets = &postgres->secrets;

	if (secrets->nr)
		qsort(secrets->v, secrets->nr, sizeof(*secrets->v), compare_lengths);
	for (size_t i = 0; i < secrets->nr; i++)
		err_replace(message, secrets->v[i], SECRET);
}

/* What the server or libpq has said, as one line; without secrets first, as these may have blanks and ends of lines. */
static void add_message(const struct postgres *postgres, struct err *err)
{
	struct err message = ERR_INIT;
	size_t len;

	err_set(&message, ERR_FAILED, "%s", postgres->library.message(postgres->connection));
	hide_secrets(postgres, &message);
	len = strlen(message.msg);
	while (len && (message.msg[len - 1] == '\n' || message.msg[len - 1] == ' '))
		message.msg[--len] = '\0';
	for (char *c = message.msg; *c; c++) {
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	}
	if (len) {
		err_append(err, ": ");
		err_append(err, message.msg);
	}
	err_clear(&message);
}

bool postgres_has_servers(const char *text)
{
	const char *end = text + strcspn(text, "/?");

	while (text < end) {
		if (*text == '[') {
			text += strcspn(text, "]/?");
			if (*text++ != ']')
				return false;
		}
		text += strcspn(text, ":,/?#@");
		if (*text == ':')
			text += 1 + strspn(text + 1, "0123456789");
		if (text < end && *text++ != ',')
			return false;
	}
	return true;
}

/* What libpq says of a port that is none quotes it: it may be a part of a password with a slash. */
static bool has_port(const struct conninfo *info)
{
	for (; info->keyword; info++) {
		if (!strcmp(info->keyword, "port") && info->val)
			return !info->val[strspn(info->val, "0123456789,")];
	}
	return true;
}

/*
 * What comes after the first '@' libpq takes for the host, and quotes it if there is none of that name: it is a part of a
 * password with an '@' that was not escaped if there is another one.
 */
static bool has_plain_user(const char *place)
{
	const char *host = strstr(place, "://") + 3, *end = host + strcspn(host, "@/");

	if (*end == '@')
		host = end + 1;
	return !memchr(host, '@', strcspn(host, "?"));
}

/* What a URL holds that nobody may see. The parts are "*" for libpq's own dialogues. */
static int read_secrets(struct postgres *postgres, const char *place, struct err *err)
{
	char *message = NULL;
	struct conninfo *info = postgres->library.parse(place, &message);

	if (message)
		postgres->library.free(message);
	if (!info || !has_port(info) || !has_plain_user(place)) {
		if (info)
			postgres->library.parse_free(info);
		return err_set(err, ERR_USAGE,
			       "it is not a valid URL of PostgreSQL, as in "
			       "postgresql://USER@HOST/NAME; special characters of a password are "
			       "written as %%XX");
	}
	for (const struct conninfo *i = info; i->keyword; i++) {
		if (i->dispchar && *i->dispchar == '*' && i->val && *i->val)
			strvec_push(&postgres->secrets, i->val);
	}
	postgres->library.parse_free(info);
	return 0;
}

/* The password may be of a file or of the environment. */
static void add_password(struct postgres *postgres)
{
	const char *password = postgres->library.password(postgres->connection);

	if (password && *password)
		strvec_push(&postgres->secrets, password);
}

static void ignore_notice(void *data, const char *message)
{
	(void)data;
	(void)message;
}

static void postgres_close(void *handle)
{
	struct postgres *postgres = handle;

	if (postgres->connection)
		postgres->library.finish(postgres->connection);
	strvec_release(&postgres->secrets);
	free(postgres);
}

static int postgres_open(const char *place, enum db_access access, void **handle, struct err *err)
{
	/* The URL may set the first ones otherwise. */
	static const char *const keys[] = { "connect_timeout", "application_name", "dbname",
					    "client_encoding", NULL };
	const char *const values[] = { "10", "stagetrace", place, "UTF8", NULL };
	struct postgres *postgres = xcalloc(1, sizeof(*postgres));

	(void)access;
	postgres->secrets.v = strvec_empty;
	if (load(&postgres->library, err) || silence_get(&postgres->silence_ns, err) ||
	    read_secrets(postgres, place, err))
		goto fail;
	postgres->connection = postgres->library.connect(keys, values, 1);
	add_password(postgres);
	if (postgres->library.status(postgres->connection) != CONNECTION_OK) {
		err_set(err, ERR_FAILED, "cannot connect");
		add_message(postgres, err);
		goto fail;
	}
	postgres->library.set_notices(postgres->connection, ignore_notice, NULL);
	postgres->library.set_nonblocking(postgres->connection, 1);
	*handle = postgres;
	return 0;
fail:
	postgres_close(postgres);
	return -1;
}

/* Deadlocks, conflicts of transactions, a server that ends or starts, too many connections. */
static bool passes(const char *state)
{
	static const char *const states = "40P01 40001 57P01 57P02 57P03 53300 55P03";

	return state && (text_has_word(states, state) || text_starts_with(state, "08"));
}

static int explain(struct postgres *postgres, const struct answer *answer, struct err *err)
{
	const char *state = answer ? postgres->library.answer_field(answer, FIELD_SQLSTATE) : NULL;

	postgres->retry =
		postgres->library.status(postgres->connection) != CONNECTION_OK || passes(state);
	err_set(err, ERR_FAILED, "the server refuses");
	if (state && !strcmp(state, "42501"))
		err_set(err, ERR_FAILED, "this user may not do that");
	add_message(postgres, err);
	return -1;
}

/* The connection is of no use any more: what else comes is not read. */
static int give_up(struct postgres *postgres, const char *why, struct err *err)
{
	postgres->broken = true;
	postgres->retry = false;
	return err_set(err, ERR_FAILED, "%s", why);
}

static const char other_rows[] = "the server answers with other rows than were asked for";

static int wait_for_server(struct postgres *postgres, bool sending, struct err *err)
{
	int ready = socket_wait(postgres->library.socket(postgres->connection), sending,
				postgres->silence_ns);
	struct strbuf sb = STRBUF_INIT;

	if (ready > 0)
		return 0;
	if (ready < 0)
		return give_up(postgres, "cannot wait for the server", err);
	strbuf_adds(&sb, "the server has not answered for ");
	text_add_duration(&sb, postgres->silence_ns);
	strbuf_adds(&sb, ": STAGETRACE_HISTORY_TIMEOUT is how long to wait for it");
	give_up(postgres, sb.buf, err);
	strbuf_release(&sb);
	return -1;
}

/* Without a taker there is one row at most, as of a function that is called for what it does. */
static int take_rows(struct postgres *postgres, const struct answer *answer,
		     const struct db_taker *taker, struct err *err)
{
	const struct postgres_library *library = &postgres->library;
	int columns = library->columns(answer), rows = library->rows(answer), rc = 0;
	struct db_value *row;

	if (!taker || !rows)
		return 0;
	if (columns != taker->columns)
		return give_up(postgres, other_rows, err);
	row = xcalloc((size_t)columns + 1, sizeof(*row));
	for (int i = 0; i < rows && !rc; i++) {
		for (int k = 0; k < columns; k++)
			row[k] = library->is_null(answer, i, k)
					 ? DB_NULL
					 : DB_TEXT(library->value(answer, i, k));
		rc = taker->take(taker->data, row, err);
	}
	free(row);
	/* Others may come for ever. */
	postgres->broken = postgres->broken || rc;
	return rc;
}

static int take_answer(struct postgres *postgres, const struct answer *answer,
		       const struct db_taker *taker, struct err *err)
{
	int status = postgres->library.answer_status(answer);

	switch (status) {
	case RESULT_SINGLE_TUPLE:
	case RESULT_TUPLES_OK:
		return take_rows(postgres, answer, taker, err);
	case RESULT_COMMAND_OK:
		return 0;
	case RESULT_COPY_IN:
	case RESULT_COPY_OUT:
	case RESULT_COPY_BOTH:
		return give_up(postgres, "the server wants to copy data, which nobody asked for",
			       err);
	default:
		return explain(postgres, answer, err);
	}
}

/* The next one; NULL: there is none, or -1. */
static int next_answer(struct postgres *postgres, struct answer **answer, struct err *err)
{
	const struct postgres_library *library = &postgres->library;

	*answer = NULL;
	while (library->is_busy(postgres->connection)) {
		if (wait_for_server(postgres, false, err))
			return -1;
		/* What went wrong is the next answer. */
		if (!library->consume(postgres->connection))
			break;
	}
	*answer = library->answer(postgres->connection);
	return 0;
}

/*
 * All answers are fetched, else there can be no further query: rows, each as an answer, and the one that ends them. What
 * goes wrong first is what is said.
 */
static int take_answers(struct postgres *postgres, const struct db_taker *taker, struct err *err)
{
	struct err later = ERR_INIT;
	size_t rows = 0, ends = 0;
	struct answer *answer;
	int rc = 0;

	while (!postgres->broken && !next_answer(postgres, &answer, rc ? &later : err) && answer) {
		int status = postgres->library.answer_status(answer);

		if (status == RESULT_SINGLE_TUPLE)
			rows++;
		else
			ends++;
		if (ends > 1 || (rows > 1 && (!taker || taker->one)))
			give_up(postgres, other_rows, rc ? &later : err);
		else if (!rc)
			rc = take_answer(postgres, answer, taker, err);
		postgres->library.clear(answer);
	}
	err_clear(&later);
	return rc || postgres->broken ? -1 : 0;
}

static int send_all(struct postgres *postgres, struct err *err)
{
	const struct postgres_library *library = &postgres->library;
	int left;

	while ((left = library->flush(postgres->connection)) > 0) {
		if (wait_for_server(postgres, true, err))
			return -1;
		if (!library->consume(postgres->connection))
			break;
	}
	return left < 0 ? explain(postgres, NULL, err) : 0;
}

static int postgres_query(void *handle, const char *sql, const struct db_value *params, size_t nr,
			  const struct db_taker *taker, struct err *err)
{
	struct postgres *postgres = handle;
	const char **values = xcalloc(nr + 1, sizeof(*values));
	struct strbuf numbers = STRBUF_INIT;
	size_t *places = xcalloc(nr + 1, sizeof(*places));
	int rc = -1;

	postgres->retry = false;
	for (size_t i = 0; i < nr; i++) {
		places[i] = numbers.len;
		if (params[i].is_number) {
			text_add_int(&numbers, params[i].number);
			strbuf_addc(&numbers, '\0');
		}
	}
	for (size_t i = 0; i < nr; i++)
		values[i] = params[i].is_number ? numbers.buf + places[i] : params[i].text;
	if (postgres->broken) {
		err_set(err, ERR_FAILED, "the connection has been given up");
	} else if (!postgres->library.send(postgres->connection, sql, (int)nr, NULL, values, NULL,
					   NULL, 0)) {
		explain(postgres, NULL, err);
	} else {
		postgres->library.by_rows(postgres->connection);
		if (!send_all(postgres, err))
			rc = take_answers(postgres, taker, err);
	}
	free(values);
	free(places);
	strbuf_release(&numbers);
	return rc;
}

static bool postgres_may_retry(void *handle)
{
	return ((const struct postgres *)handle)->retry;
}

static int run(void *handle, const char *sql, struct err *err)
{
	return postgres_query(handle, sql, NULL, 0, NULL, err);
}

static int take_number(void *data, const struct db_value *row, struct err *err)
{
	(void)err;
	*(int64_t *)data = db_number(&row[0], -1);
	return 0;
}

/* One number, of which none is below 0. */
static int get_number(void *handle, const char *sql, int64_t *number, struct err *err)
{
	const struct db_taker taker = { take_number, number, 1, true };

	*number = -1;
	if (postgres_query(handle, sql, NULL, 0, &taker, err))
		return -1;
	return *number < 0 ? err_set(err, ERR_CORRUPT, "the server does not answer with a number")
			   : 0;
}

static int get_schema_version(void *handle, int64_t *version, struct err *err)
{
	if (get_number(handle, "SELECT coalesce(max(version), 0) FROM stagetrace_schema", version,
		       err))
		return -1;
	return *version
		       ? 0
		       : err_set(err, ERR_CORRUPT,
				 "its table stagetrace_schema has no version: it is left as it is");
}

static int has_schema(void *handle, int64_t *has, struct err *err)
{
	return get_number(
		handle,
		"SELECT count(*) FROM pg_class WHERE oid = to_regclass('stagetrace_schema')", has,
		err);
}

/* A table of the version, in the schema that tables are made in; 0 if there is none, and none of the names is taken. */
static int postgres_get_version(void *handle, const struct schema *schema, int64_t *version,
				struct err *err)
{
	int64_t has, others;

	(void)schema;
	if (has_schema(handle, &has, err))
		return -1;
	if (has)
		return get_schema_version(handle, version, err);
	*version = 0;
	if (get_number(
		    handle,
		    "SELECT count(*) FROM pg_class WHERE relnamespace = "
		    "(SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relname "
		    "IN ('setup', 'run', 'series', 'result', 'acknowledged', 'point')",
		    &others, err))
		return -1;
	if (!others)
		return 0;
	/* Another program may have made all of them between both questions: with its lock it has ended that. */
	if (run(handle, LOCK_SQL, err) || has_schema(handle, &has, err))
		return -1;
	if (has)
		return get_schema_version(handle, version, err);
	return err_set(err, ERR_CORRUPT,
		       "the data base has tables of something else: it is left as it is; "
		       "give stagetrace a data base of its own");
}

static int postgres_lock_schema(void *handle, struct err *err)
{
	return run(handle, LOCK_SQL, err);
}

static int postgres_set_version(void *handle, int64_t version, struct err *err)
{
	const struct db_value number = DB_NUMBER(version);

	if (run(handle, "CREATE TABLE IF NOT EXISTS stagetrace_schema (version BIGINT NOT NULL)",
		err))
		return -1;
	return postgres_query(handle, "INSERT INTO stagetrace_schema VALUES ($1::bigint)", &number,
			      1, NULL, err);
}

/* The month of a time: its number, and where it begins. */
static void add_month(struct strbuf *name, int64_t time_ms, int64_t *from_ms, int64_t *to_ms)
{
	struct tm tm = clock_utc(time_ms * NS_PER_MS);
	int64_t from = 0, to = 0;
	struct strbuf text = STRBUF_INIT;
	int year = tm.tm_year + 1900, month = tm.tm_mon + 1;

	strbuf_addf(&text, "%04d-%02d-01T00:00:00Z", year, month);
	text_parse_utc(text.buf, &from);
	strbuf_clear(&text);
	strbuf_addf(&text, "%04d-%02d-01T00:00:00Z", month < 12 ? year : year + 1, month % 12 + 1);
	text_parse_utc(text.buf, &to);
	strbuf_release(&text);
	strbuf_addf(name, "result_%04d_%02d", year, month);
	*from_ms = from / NS_PER_MS;
	*to_ms = to / NS_PER_MS;
}

static int has_table(void *handle, const char *name, int64_t *has, struct err *err)
{
	struct strbuf sql = STRBUF_INIT;
	int rc;

	strbuf_addf(&sql, "SELECT count(*) FROM pg_class WHERE oid = to_regclass('%s')", name);
	rc = get_number(handle, sql.buf, has, err);
	strbuf_release(&sql);
	return rc;
}

static int postgres_prepare_time(void *handle, int64_t time_ms, struct err *err)
{
	struct strbuf name = STRBUF_INIT, sql = STRBUF_INIT;
	int64_t from_ms, to_ms, has;
	int rc = -1;

	add_month(&name, time_ms, &from_ms, &to_ms);
	if (has_table(handle, name.buf, &has, err))
		goto out;
	/* Others may make it now: who gets the lock second finds it. */
	if (!has && (run(handle, LOCK_SQL, err) || has_table(handle, name.buf, &has, err)))
		goto out;
	strbuf_addf(&sql,
		    "CREATE TABLE %s PARTITION OF result FOR VALUES FROM (%" PRId64 ") TO (%" PRId64
		    ")",
		    name.buf, from_ms, to_ms);
	rc = has ? 0 : run(handle, sql.buf, err);
out:
	strbuf_release(&name);
	strbuf_release(&sql);
	return rc;
}

static int take_name(void *data, const struct db_value *row, struct err *err)
{
	struct strvec *names = data;

	strvec_push(names, db_text(&row[0]));
	return names->nr > MONTHS_MAX ? err_set(err, ERR_UNSUPPORTED,
						"the results have more than %d tables", MONTHS_MAX)
				      : 0;
}

/* Only tables whose names this file has made. */
static bool is_month(const char *name)
{
	return strlen(name) == strlen("result_2026_01") && text_starts_with(name, "result_") &&
	       strspn(name + 7, "0123456789_") == 7;
}

static int postgres_drop_before(void *handle, int64_t time_ms, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	const struct db_taker taker = { take_name, &names, 1, false };
	struct strbuf first = STRBUF_INIT, sql = STRBUF_INIT;
	int64_t from_ms, to_ms;
	int rc;

	add_month(&first, time_ms, &from_ms, &to_ms);
	rc = postgres_query(handle,
			    "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid "
			    "WHERE inhparent = to_regclass('result')",
			    NULL, 0, &taker, err);
	for (size_t i = 0; i < names.nr && !rc; i++) {
		if (!is_month(names.v[i]) || strcmp(names.v[i], first.buf) >= 0)
			continue;
		strbuf_clear(&sql);
		strbuf_addf(&sql, "DROP TABLE %s", names.v[i]);
		rc = run(handle, sql.buf, err);
	}
	strvec_release(&names);
	strbuf_release(&first);
	strbuf_release(&sql);
	return rc;
}

static bool postgres_takes(const char *place)
{
	return text_starts_with(place, "postgresql://") || text_starts_with(place, "postgres://");
}

const struct database_ops postgres_database = {
	.name = "PostgreSQL",
	.dialect = { .id = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
		     .bigints = "BIGINT",
		     .results = "PARTITION BY RANGE (time)" },
	.takes = postgres_takes,
	.open = postgres_open,
	.close = postgres_close,
	.query = postgres_query,
	.begin = "BEGIN",
	.may_retry = postgres_may_retry,
	.get_version = postgres_get_version,
	.lock_schema = postgres_lock_schema,
	.set_version = postgres_set_version,
	.prepare_time = postgres_prepare_time,
	.drop_before = postgres_drop_before,
};
