/*
 * Names of functions that were inlined: they are known by a number in the stream of ids (IPI), which leads to a name and
 * to what it is in, there or in the stream of types (TPI).
 *
 * Format: LLVM's documentation, "The PDB TPI and IPI Streams"; records: see pdb_records.h.
 */
#ifndef SYMBOL_PDB_IDS_H
#define SYMBOL_PDB_IDS_H

#include <stdint.h>

#include "symbol/pdb/pdb_file.h"

struct pdb_ids;

/* `file` is borrowed. */
struct pdb_ids *pdb_ids_new(const struct pdb_file *file);
void pdb_ids_free(struct pdb_ids *ids);

/* "core::fmt::write", as a debugger shows it; good as long as `ids`. NULL. */
const char *pdb_ids_name(struct pdb_ids *ids, uint32_t id);

#endif
