#include "symbol/fetch_servers.h"

#include <stdlib.h>
#include <string.h>

#include "platform/program.h"
#include "symbol/id_file.h"
#include "symbol/symbol_path.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/text.h"
#include "util/url.h"

#define MICROSOFT "https://msdl.microsoft.com/download/symbols"

/* Add a server, or the directory of the cache. In the user's symbol path there may be anything else, too. */
static int add_part(struct fetch_servers *servers, const struct symbol_path_part *part,
		    bool is_users, struct err *err)
{
	switch (part->kind) {
	case SYMBOL_PATH_URL:
		strvec_push(&servers->pdb_urls, part->text);
		return 0;
	case SYMBOL_PATH_CACHE:
		if (!servers->cache)
			servers->cache = xstrdup(part->text);
		return 0;
	case SYMBOL_PATH_DIR:
		return 0;
	case SYMBOL_PATH_REMOTE:
		if (is_users)
			return 0;
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is no server of HTTP: copy files of a share yourself",
			       part->text);
	case SYMBOL_PATH_UNKNOWN:
		break;
	}
	return is_users ? 0
			: err_set(err, ERR_USAGE, "'%s*' is not known: srv*, cache*", part->text);
}

static int add_path(struct fetch_servers *servers, const char *text, bool is_users, struct err *err)
{
	struct symbol_path path;
	int rc = 0;

	symbol_path_parse(&path, text);
	for (size_t i = 0; i < path.nr && !rc; i++)
		rc = add_part(servers, &path.parts[i], is_users, err);
	symbol_path_release(&path);
	return rc;
}

/* The servers that the user's environment names. */
static int add_users(struct fetch_servers *servers, struct err *err)
{
	char *path = env_get("_NT_SYMBOL_PATH"), *urls = env_get("DEBUGINFOD_URLS");
	int rc = add_path(servers, path, true, err);

	if (!rc && !servers->pdb_urls.nr)
		strvec_push(&servers->pdb_urls, MICROSOFT);
	for (const char *url = urls; url && *url;) {
		size_t len = strcspn(url, " "), end = len;

		while (end && url[end - 1] == '/')
			end--;
		if (end)
			strvec_push_nodup(&servers->debug_urls, xstrndup(url, end));
		url += len + (url[len] == ' ');
	}
	free(path);
	free(urls);
	return rc;
}

int fetch_servers_init(struct fetch_servers *servers, const char *named, struct err *err)
{
	*servers = (struct fetch_servers){ .pdb_urls = STRVEC_INIT,
					   .debug_urls = STRVEC_INIT,
					   .given_up = STRVEC_INIT };
	if (!named)
		return add_users(servers, err);
	if (add_path(servers, named, false, err))
		return -1;
	strvec_push_all(&servers->debug_urls, &servers->pdb_urls);
	if (servers->pdb_urls.nr)
		return 0;
	return err_set(err, ERR_USAGE, "takes the URL of a server, or srv*DIR*URL, not '%s'",
		       named);
}

void fetch_servers_release(struct fetch_servers *servers)
{
	strvec_release(&servers->pdb_urls);
	strvec_release(&servers->debug_urls);
	strvec_release(&servers->given_up);
	free(servers->cache);
	servers->cache = NULL;
}

const struct strvec *fetch_servers_for(const struct fetch_servers *servers,
				       const struct module *module)
{
	return id_file_is_pdb(module) ? &servers->pdb_urls : &servers->debug_urls;
}

char *fetch_servers_url(const char *server, const struct module *module)
{
	struct strbuf url = STRBUF_INIT;
	char *id;

	strbuf_adds(&url, server);
	if (id_file_is_pdb(module)) {
		id = module_symbol_id(module->id);
		strbuf_addc(&url, '/');
		url_add_part(&url, id_file_pdb_name(module));
		strbuf_addf(&url, "/%s/", id);
		url_add_part(&url, id_file_pdb_name(module));
		free(id);
	} else {
		strbuf_adds(&url, "/buildid/");
		text_add_hex(&url, module->id, module->id_length);
		strbuf_adds(&url, "/debuginfo");
	}
	return strbuf_detach(&url);
}

void fetch_servers_give_up(struct fetch_servers *servers, const char *server)
{
	if (!fetch_servers_gave_up(servers, server))
		strvec_push(&servers->given_up, server);
}

bool fetch_servers_gave_up(const struct fetch_servers *servers, const char *server)
{
	for (size_t i = 0; i < servers->given_up.nr; i++) {
		if (!strcmp(servers->given_up.v[i], server))
			return true;
	}
	return false;
}
