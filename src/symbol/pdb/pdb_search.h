/*
 * Where the PDB of an image may be: beside the image; where the image says it was when it was linked; in folders that are
 * given; in those of _NT_SYMBOL_PATH. In a folder it may lie by its name, or as in a symbol store: NAME/GUID AGE/NAME.
 *
 * _NT_SYMBOL_PATH (Microsoft, "Symbol path for Windows debuggers"): folders with ';' between; of "srv*...", "symsrv*DLL*..."
 * and "cache*..." those parts that are folders. Nothing that is on a network is looked at, be it a URL or \\server\share: a
 * trace of others must not make us ask a server.
 */
#ifndef SYMBOL_PDB_SEARCH_H
#define SYMBOL_PDB_SEARCH_H

#include "model/module.h"
#include "util/strvec.h"

struct pdb_search {
	struct strvec dirs;
};

/* `dirs` come first; `symbol_path` is as in _NT_SYMBOL_PATH. Both may be NULL. */
void pdb_search_init(struct pdb_search *search, const struct strvec *dirs, const char *symbol_path);
void pdb_search_release(struct pdb_search *search);

/* Append the files that it may be, whether they are there or not; `id` is of PDB_ID_BYTES. */
void pdb_search_add(const struct pdb_search *search, const char *image_path, const char *debug_path,
		    const uint8_t *id, struct strvec *paths);

/* "3DE8368D531A454185A544D4A7DA394D1": the name of its folder in a symbol store. The caller frees it. */
char *pdb_store_name(const uint8_t *id);

#endif
