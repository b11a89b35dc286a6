/*
 * Fetches PDBs from symbol servers and debug files from debuginfod servers, by the ids of a trace, into the cache
 * (id_file.h). A file gets its name there when it is whole and has the id; what has arrived of it before stays in a .part
 * file, from whose end the next attempt goes on.
 *
 * A symbol server has a PDB at URL/NAME/GUIDAGE/NAME (Microsoft, "SymStore folder tree"), debuginfod a debug file at
 * URL/buildid/ID/debuginfo (elfutils' debuginfod(8)). A PDB that is there as a cabinet, NAME.pd_, is unpacked.
 */
#ifndef SYMBOL_SYMBOL_FETCH_H
#define SYMBOL_SYMBOL_FETCH_H

#include <stdint.h>

#include "model/module.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct symbol_fetch_options {
	/*
	 * A URL, or parts of a symbol path: "srv*DIR*URL", "cache*DIR;srv*URL"; the first such DIR is the cache then, else
	 * symbol_cache_dir(). NULL: for PDBs those of _NT_SYMBOL_PATH, else Microsoft's server; for debug files those of
	 * DEBUGINFOD_URLS.
	 */
	const char *server;
	int64_t answer_ns; /* how long a server may be silent */
	int64_t whole_ns;  /* how long one file may take */
	const struct progress *progress;
};

struct symbol_fetch;

/* ERR_USAGE: `server` names none; ERR_UNSUPPORTED: a file share, or no library for HTTP. Nothing is asked yet. */
int symbol_fetch_new(const struct symbol_fetch_options *options, struct symbol_fetch **fetch,
		     struct err *err);
void symbol_fetch_free(struct symbol_fetch *fetch);

/* The directory of the cache. */
const char *symbol_fetch_cache(const struct symbol_fetch *fetch);

/*
 * Fetch the file of a module, and append which server had it to `from`. Returns 1 if the cache has it already.
 * ERR_NOT_FOUND: no server has it, or none is known for such modules. ERR_CORRUPT: what a server has is not it.
 * ERR_UNSUPPORTED: it is too large, a cabinet that cannot be unpacked here, refused, or the module has no id. ERR_FAILED:
 * no server for such modules answers, or the user has interrupted; ERR_NO_SPACE: the disk is full: there is no point in
 * asking for more.
 */
int symbol_fetch_get(struct symbol_fetch *fetch, const struct module *module, struct strbuf *from,
		     struct err *err);

#endif
