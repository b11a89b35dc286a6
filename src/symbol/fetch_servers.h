/*
 * The servers that symbol files are fetched from: those that the user names, what their URLs are for a file, and those that
 * are given up as they do not answer.
 */
#ifndef SYMBOL_FETCH_SERVERS_H
#define SYMBOL_FETCH_SERVERS_H

#include <stdbool.h>

#include "model/module.h"
#include "util/err.h"
#include "util/strvec.h"

struct fetch_servers {
	struct strvec pdb_urls, debug_urls; /* without "/" at the end */
	struct strvec given_up;             /* those of them that do not answer */
	char *cache;                        /* where their files go; NULL: no directory is named */
};

/*
 * `named` is a URL or a symbol path (symbol_path.h), whose servers may have debug files too. NULL: the servers of
 * _NT_SYMBOL_PATH, else Microsoft's; for debug files those of DEBUGINFOD_URLS. ERR_USAGE: `named` names none;
 * ERR_UNSUPPORTED: it names a file share. Released in any case.
 */
int fetch_servers_init(struct fetch_servers *servers, const char *named, struct err *err);
void fetch_servers_release(struct fetch_servers *servers);

/* The servers that may have the file of a module, in the order in which they are asked. */
const struct strvec *fetch_servers_for(const struct fetch_servers *servers,
				       const struct module *module);

/* The URL of a module's file, which must have an id_file_name(); the caller frees it. */
char *fetch_servers_url(const char *server, const struct module *module);

void fetch_servers_give_up(struct fetch_servers *servers, const char *server);
bool fetch_servers_gave_up(const struct fetch_servers *servers, const char *server);

#endif
