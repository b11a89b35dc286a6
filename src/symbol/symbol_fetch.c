#include "symbol/symbol_fetch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/http.h"
#include "symbol/fetch_servers.h"
#include "symbol/fetch_transfer.h"
#include "symbol/id_file.h"
#include "symbol/symbol_cache.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include "util/url.h"

#define FILE_MAX (UINT64_C(4) << 30)

struct symbol_fetch {
	struct http *http;
	struct fetch_servers servers;
	struct fetch_rules rules;
};

int symbol_fetch_new(const struct symbol_fetch_options *options, struct symbol_fetch **fetch,
		     struct err *err)
{
	struct symbol_fetch *made = xcalloc(1, sizeof(*made));
	int rc = fetch_servers_init(&made->servers, options->server, err);
	const char *cache = made->servers.cache;

	made->rules = (struct fetch_rules){ .cache = cache ? xstrdup(cache) : symbol_cache_dir(),
					    .bytes_max = cost_raised(FILE_MAX),
					    .answer_ns = options->answer_ns,
					    .whole_ns = options->whole_ns,
					    .progress = options->progress };
	if (!rc && !made->rules.cache)
		rc = err_set(err, ERR_USAGE,
			     "there is no directory for the files: set STAGETRACE_CACHE");
	if (!rc)
		rc = http_open(&made->http, err);
	if (rc)
		symbol_fetch_free(made);
	else
		*fetch = made;
	return rc;
}

void symbol_fetch_free(struct symbol_fetch *fetch)
{
	if (!fetch)
		return;
	http_close(fetch->http);
	fetch_servers_release(&fetch->servers);
	free(fetch->rules.cache);
	free(fetch);
}

const char *symbol_fetch_cache(const struct symbol_fetch *fetch)
{
	return fetch->rules.cache;
}

/* Ask one server, unless it did not answer before. */
static int ask_one(const struct symbol_fetch *fetch, const char *server,
		   const struct module *module, const char *name, struct strbuf *from,
		   struct err *err)
{
	struct strbuf host = STRBUF_INIT;
	char *url = fetch_servers_url(server, module);
	int rc;

	url_add_host(&host, server, strlen(server));
	if (fetch_servers_gave_up(&fetch->servers, server))
		rc = err_set(err, ERR_FAILED, "it is not asked again, as it did not answer");
	else
		rc = fetch_transfer(&fetch->rules, fetch->http, url, module, name, err);
	if (rc)
		err_wrap(err, "%s", host.buf);
	else
		strbuf_add(from, host.buf, host.len);
	strbuf_release(&host);
	free(url);
	return rc;
}

/* How much an error says: of a file that is there but no good, then of a server that does not answer. */
static int weight(enum err_code code)
{
	return code == ERR_NONE ? 0 : code == ERR_NOT_FOUND ? 1 : code == ERR_FAILED ? 2 : 3;
}

/* Keep the more telling of two errors, the first of two alike. */
static void keep_error(struct err *err, struct err *other)
{
	if (weight(other->code) > weight(err->code)) {
		err_clear(err);
		*err = *other;
	} else {
		err_clear(other);
	}
}

/* Ask one server after the other. */
static int ask(struct symbol_fetch *fetch, const struct module *module, const char *name,
	       struct strbuf *from, struct err *err)
{
	const struct strvec *urls = fetch_servers_for(&fetch->servers, module);
	struct err ignored = ERR_INIT;
	bool stopped = false;
	size_t silent = 0;
	int rc = -1;

	if (!urls->nr)
		return err_set(err, ERR_NOT_FOUND,
			       "no server is known for debug files: DEBUGINFOD_URLS is not set");
	for (size_t i = 0; i < urls->nr && rc && !stopped; i++) {
		struct err other = ERR_INIT;

		rc = ask_one(fetch, urls->v[i], module, name, from, &other);
		stopped = rc && (other.code == ERR_NO_SPACE ||
				 progress_show(fetch->rules.progress, FETCH_STEP, 0, 0, &ignored));
		if (rc && !stopped && other.code == ERR_FAILED) {
			silent++;
			fetch_servers_give_up(&fetch->servers, urls->v[i]);
		}
		if (stopped)
			err_clear(err);
		keep_error(err, &other);
	}
	if (!rc)
		err_clear(err);
	/* The others may have the next file. */
	else if (!stopped && err->code == ERR_FAILED && silent < urls->nr)
		err->code = ERR_UNSUPPORTED;
	progress_show(fetch->rules.progress, FETCH_STEP, 1, 1, &ignored);
	err_clear(&ignored);
	return rc;
}

/* Make the directory of a file of the cache. */
static int make_dirs(const char *cache, const char *name, struct err *err)
{
	int rc = fs_mkdir_all(cache, err);

	for (const char *end = name; !rc && (end = strchr(end, '/')); end++) {
		char *dir = xstrndup(name, (size_t)(end - name));

		rc = below_mkdir(cache, dir, err);
		free(dir);
	}
	return rc;
}

int symbol_fetch_get(struct symbol_fetch *fetch, const struct module *module, struct strbuf *from,
		     struct err *err)
{
	char *name = id_file_name(module), *path, *dir;
	struct fs_lock *lock = NULL;
	struct err other = ERR_INIT;
	int rc;

	if (!name)
		return err_set(err, ERR_UNSUPPORTED,
			       "the trace has no id of it, or no name that a file can have");
	path = fs_join(fetch->rules.cache, name);
	dir = fs_dirname(path);
	if (fs_exists(path) && !id_file_check(path, module, &other)) {
		rc = 1;
	} else {
		rc = make_dirs(fetch->rules.cache, name, err);
		if (!rc)
			rc = fs_lock(dir, &lock, err);
		if (!rc)
			rc = ask(fetch, module, name, from, err);
		fs_unlock(lock);
	}
	err_clear(&other);
	free(name);
	free(path);
	free(dir);
	return rc;
}
