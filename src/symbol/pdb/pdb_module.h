/*
 * Names and lines of a module from its PDB. Offsets are relative to the image's start.
 *
 * The PDB may be in the image's directory; at the path in the image's debug directory; in given directories; in those of
 * _NT_SYMBOL_PATH. In a directory it is NAME or, in a symbol store, NAME/GUID AGE/NAME.
 *
 * Of _NT_SYMBOL_PATH (symbol_path.h) all directories are used, those in "srv*..." and "cache*..." too. Network paths (URLs,
 * \\server\share) are ignored: an untrusted trace must not make this program contact a server.
 */
#ifndef SYMBOL_PDB_MODULE_H
#define SYMBOL_PDB_MODULE_H

#include "model/module.h"
#include "symbol/symbol_file.h"
#include "util/strvec.h"

/* Where PDBs are looked for. */
struct pdb_search {
	struct strvec dirs;
};

/*
 * `dirs` come first, then those of `traced_dirs`, which a run or a trace names, where looking has no effect; `symbol_path`
 * is as in _NT_SYMBOL_PATH. Each may be NULL.
 */
void pdb_search_init(struct pdb_search *search, const struct strvec *dirs,
		     const struct strvec *traced_dirs, const char *symbol_path);
void pdb_search_release(struct pdb_search *search);

/* Append the possible paths of a PDB, whether they exist or not; `id` has PDB_ID_BYTES bytes. */
void pdb_search_add(const struct pdb_search *search, const char *image_path, const char *debug_path,
		    const uint8_t *id, struct strvec *paths);

/* Open the PDB at `path`, if it has the traced GUID and age. False: it has not, or there is none. */
bool pdb_module_open_at(const struct module *module, const char *path, struct symbol_file *file);

/* Open the first PDB with the traced GUID and age; the same name is not enough. `module` must have a debug_path. */
void pdb_module_open(const struct module *module, const struct pdb_search *search,
		     struct symbol_file *file);

#endif
