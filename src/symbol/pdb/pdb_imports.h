/*
 * Ids of functions that were inlined across modules (link-time code generation): a module then says which module knows the
 * function, and by which number, and that one says which id it is.
 *
 * Format: microsoft/microsoft-pdb, include/cvinfo.h (DEBUG_S_CROSSSCOPEIMPORTS and -EXPORTS, DecoratedItemId).
 */
#ifndef SYMBOL_PDB_IMPORTS_H
#define SYMBOL_PDB_IMPORTS_H

#include "symbol/pdb/pdb_unit.h"

#define PDB_IMPORTED 0x80000000u /* in an id */

struct pdb_imports;

/* `file` is borrowed. */
struct pdb_imports *pdb_imports_new(const struct pdb_file *file);
void pdb_imports_free(struct pdb_imports *imports);

/*
 * What a unit's id with PDB_IMPORTED stands for; `module_name` is the place of its module's name, see below. False: not
 * known.
 */
bool pdb_imports_find(const struct pdb_unit *unit, uint32_t id, uint32_t *module_name,
		      uint32_t *number);

/* The id of a module's number; the module goes by its name. 0: not known. */
uint32_t pdb_imports_id(struct pdb_imports *imports, const char *module_name, uint32_t number);

#endif
