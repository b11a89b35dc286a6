/*
 * Debug files from debuginfod servers, for modules whose files on this machine lack names or lines: each is asked for once,
 * and checked. Once a server fails, nothing more is asked.
 */
#ifndef SYMBOL_DEBUG_FETCHER_H
#define SYMBOL_DEBUG_FETCHER_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct debug_fetcher;

/* ERR_USAGE, ERR_UNSUPPORTED: see debug_server_open(). */
int debug_fetcher_new(const struct progress *progress, struct debug_fetcher **fetcher,
		      struct err *err);
void debug_fetcher_free(struct debug_fetcher *fetcher);

/*
 * The path of the debug file with the build id of a module, valid as long as the fetcher; `module` is its path, for
 * messages. NULL: there is none. Thread-safe.
 */
const char *debug_fetcher_find(struct debug_fetcher *fetcher, const char *module, const uint8_t *id,
			       size_t nr);

/* Append a line for each kind of failure: of files that the servers do not have, and of files and servers that are bad. */
void debug_fetcher_explain(const struct debug_fetcher *fetcher, struct strbuf *notes,
			   struct strbuf *warnings);

#endif
