/*
 * Names of inlined functions. Such a function has a number in the id stream (IPI), whose record has its name and its scope
 * or class, in the same stream or in the type stream (TPI).
 *
 * Format: LLVM's documentation, "The PDB TPI and IPI Streams"; records: see pdb_records.h.
 *
 * A function that was inlined from another module (link-time code generation) has an imported id: the module says which
 * other module has the function, and its number there; the other module has the id for this number.
 *
 * Format: microsoft/microsoft-pdb, include/cvinfo.h (DEBUG_S_CROSSSCOPEIMPORTS and -EXPORTS, DecoratedItemId).
 */
#ifndef SYMBOL_PDB_IDS_H
#define SYMBOL_PDB_IDS_H

#include <stdint.h>

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_unit.h"

struct pdb_ids;

/* `file` is borrowed. */
struct pdb_ids *pdb_ids_new(const struct pdb_file *file);
void pdb_ids_free(struct pdb_ids *ids);

/* "core::fmt::write", as a debugger shows it; valid as long as `ids`. NULL: unknown. */
const char *pdb_ids_name(struct pdb_ids *ids, uint32_t id);

#define PDB_IMPORTED 0x80000000u /* in an id */

/*
 * Look up a unit's id that has PDB_IMPORTED: `module_name` is the offset of the other module's name in the list of all
 * names, `number` the function's number there. False: not known.
 */
bool pdb_ids_find_import(const struct pdb_unit *unit, uint32_t id, uint32_t *module_name,
			 uint32_t *number);

/* The id for a number in the module with this name; 0: not known. */
uint32_t pdb_ids_imported(struct pdb_ids *ids, const char *module_name, uint32_t number);

#endif
