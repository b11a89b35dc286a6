/*
 * PDBs and debug files that are stored by their id, in a run or in the cache of fetched files: a PDB as in a symbol store,
 * NAME/GUIDAGE/NAME; the debug file of an ELF file as GDB and perf search it, .build-id/xx/yyyy.debug.
 */
#ifndef SYMBOL_ID_FILE_H
#define SYMBOL_ID_FILE_H

#include <stdbool.h>

#include "model/module.h"
#include "util/err.h"

/* Whether the symbols of a module are in a PDB, not in an ELF file. */
bool id_file_is_pdb(const struct module *module);

/* The name of its PDB, in `module`; NULL: none that can safely be the name of a file. */
const char *id_file_pdb_name(const struct module *module);

/*
 * The name of a module's file below the directory that stores it, which the caller frees. NULL: it has no id, is no file,
 * or id_file_pdb_name() is NULL.
 */
char *id_file_name(const struct module *module);

/*
 * Check that the file at `path` is whole and has the id of the module. ERR_CORRUPT: it is truncated, no such file, or has
 * another id.
 */
int id_file_check(const char *path, const struct module *module, struct err *err);

#endif
