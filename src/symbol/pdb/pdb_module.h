/*
 * Names and lines of a module from its PDB. Offsets are relative to the image's start.
 */
#ifndef SYMBOL_PDB_MODULE_H
#define SYMBOL_PDB_MODULE_H

#include "model/module.h"
#include "symbol/pdb/pdb_search.h"
#include "symbol/symbol_file.h"

/* Open the first PDB with the traced GUID and age; the same name is not enough. `module` must have a debug_path. */
void pdb_module_open(const struct module *module, const struct pdb_search *search,
		     struct symbol_file *file);

#endif
