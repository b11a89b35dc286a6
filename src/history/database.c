#include "history/database.h"

#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* So long a writer waits for others, or for a server that starts again. */
#define PATIENCE_NS (30 * NS_PER_S)
#define PAUSE_NS    (NS_PER_S / 4)

struct database {
	const struct database_ops *ops;
	enum db_access access;
	char *place, *name;
	void *handle; /* NULL: the connection is lost */
};

static const struct database_ops *const kinds[] = { &postgres_database, &sqlite_database };

int64_t db_number(const struct db_value *value, int64_t otherwise)
{
	int64_t number;

	if (value->is_number)
		return value->number;
	return value->text && text_parse_int(value->text, INT64_MIN + 1, INT64_MAX, &number)
		       ? number
		       : otherwise;
}

const char *db_text(const struct db_value *value)
{
	return value->text ? value->text : "";
}

/*
 * Is a place an address, but of no kind? As that of another data base, or libpq's words, "host=db password=secret". A file
 * of such a name is given with its directory; one letter and a colon are a drive.
 */
static bool is_foreign(const char *place)
{
	size_t len = strcspn(place, ":=/\\");

	if (text_starts_with(place, "//") || (place[len] == ':' && len == 1))
		return strchr(place, '@');
	return place[len] == ':' || place[len] == '=';
}

/* All that may be shown of such an address, and no file may have the name of: "mysql", "host". */
static char *first_word(const char *place)
{
	place += strspn(place, " \t\"'");
	return xstrndup(place, strspn(place, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789+-._"));
}

static const struct database_ops *find_kind(const char *place)
{
	for (size_t i = 0; i + 1 < ARRAY_SIZE(kinds); i++) {
		if (kinds[i]->takes(place))
			return kinds[i];
	}
	return kinds[ARRAY_SIZE(kinds) - 1];
}

/* What comes after the user and the password: libpq takes all up to the first '@' for them, but no slash. */
static const char *skip_user(const char *host)
{
	const char *end = host + strcspn(host, "@/"), *at = NULL;

	if (*end == '@')
		host = end + 1;
	/* A password with a slash that was not escaped must not be taken for a path. */
	end = host + strcspn(host, "?#");
	for (const char *i = host; i < end; i++) {
		if (*i == '@')
			at = i;
	}
	return at ? at + 1 : host;
}

/* Of a URL the server and the name of the data base. */
char *database_place_name(const char *place)
{
	const char *host = strstr(place, "://");
	struct strbuf sb = STRBUF_INIT;

	if (find_kind(place) != &postgres_database || !host)
		return is_foreign(place) ? first_word(place) : xstrdup(place);
	host = skip_user(host + 3);
	strbuf_adds(&sb, "postgresql://");
	/* Anything else there may be a part of a password. */
	if (postgres_has_servers(host))
		strbuf_add(&sb, host, strcspn(host, "?#"));
	return strbuf_detach(&sb);
}

static int name_place(const struct database *db, struct err *err)
{
	return err_wrap(err, "history '%s'", db->name);
}

static int connect(struct database *db, struct err *err)
{
	return db->handle ? 0 : db->ops->open(db->place, db->access, &db->handle, err);
}

static void disconnect(struct database *db)
{
	if (db->handle)
		db->ops->close(db->handle);
	db->handle = NULL;
}

int database_query(struct database *db, const char *sql, const struct db_value *params, size_t nr,
		   const struct db_taker *taker, struct err *err)
{
	if (connect(db, err) || db->ops->query(db->handle, sql, params, nr, taker, err))
		return name_place(db, err);
	return 0;
}

int database_run(struct database *db, const char *sql, struct err *err)
{
	return database_query(db, sql, NULL, 0, NULL, err);
}

/* One attempt. `*again`: it may succeed later. */
static int try_work(struct database *db, db_work_fn *work, void *data, bool *again, struct err *err)
{
	struct err ignored = ERR_INIT;

	*again = false;
	if (connect(db, err)) {
		*again = err->code == ERR_FAILED && !db->ops->creates;
		return name_place(db, err);
	}
	if (!database_run(db, db->ops->begin, err)) {
		if (!work(data, db, err) && !database_run(db, "COMMIT", err))
			return 0;
	}
	*again = db->ops->may_retry(db->handle);
	if (database_run(db, "ROLLBACK", &ignored))
		disconnect(db);
	err_clear(&ignored);
	return -1;
}

int database_transact(struct database *db, db_work_fn *work, void *data, struct err *err)
{
	int64_t until_ns = clock_now() + PATIENCE_NS;
	bool again;

	while (try_work(db, work, data, &again, err)) {
		if (!again || clock_now() > until_ns)
			return -1;
		err_clear(err);
		clock_sleep(PAUSE_NS);
	}
	return 0;
}

int database_get_version(struct database *db, const struct schema *schema, int64_t *version,
			 struct err *err)
{
	if (connect(db, err) || db->ops->get_version(db->handle, schema, version, err))
		return name_place(db, err);
	return 0;
}

int database_lock_schema(struct database *db, struct err *err)
{
	return db->ops->lock_schema(db->handle, err) ? name_place(db, err) : 0;
}

int database_set_version(struct database *db, int64_t version, struct err *err)
{
	return db->ops->set_version(db->handle, version, err) ? name_place(db, err) : 0;
}

int database_prepare_time(struct database *db, int64_t time_ms, struct err *err)
{
	if (!db->ops->prepare_time || !db->ops->prepare_time(db->handle, time_ms, err))
		return 0;
	return name_place(db, err);
}

int database_drop_before(struct database *db, int64_t time_ms, struct err *err)
{
	if (!db->ops->drop_before || !db->ops->drop_before(db->handle, time_ms, err))
		return 0;
	return name_place(db, err);
}

const char *database_name(const struct database *db)
{
	return db->name;
}

const struct database_ops *database_ops_of(const struct database *db)
{
	return db->ops;
}

struct database *database_open_with(const struct database_ops *ops, const char *place,
				    enum db_access access, struct err *err)
{
	struct database *db = xcalloc(1, sizeof(*db));

	db->ops = ops;
	db->access = access;
	db->place = xstrdup(place);
	db->name = database_place_name(place);
	if (!connect(db, err))
		return db;
	name_place(db, err);
	database_close(db);
	return NULL;
}

static int refuse_place(const char *place, struct err *err)
{
	char *word;

	if (!*place)
		return err_set(err, ERR_USAGE, "the name of the history is empty");
	word = first_word(place);
	err_set(err, ERR_USAGE,
		"history '%s': it is an address of a kind that is not known: a history is a file, "
		"or postgresql://USER@HOST/NAME; a file of such a name is given as ./NAME",
		word);
	free(word);
	return -1;
}

int database_open(const char *place, enum db_access access, struct database **opened,
		  struct err *err)
{
	const struct database_ops *kind = find_kind(place);

	*opened = NULL;
	if (!*place || (kind == &sqlite_database && is_foreign(place)))
		return refuse_place(place, err);
	*opened = database_open_with(kind, place, access, err);
	return *opened ? 0 : -1;
}

void database_close(struct database *db)
{
	if (!db)
		return;
	disconnect(db);
	free(db->place);
	free(db->name);
	free(db);
}
