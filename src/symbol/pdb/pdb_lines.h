/*
 * Source lines and inlined functions of addresses, from a PDB. A module is read when one of its addresses is looked up; the
 * last module is cached.
 *
 * Inlined functions are nested records in the record of a procedure. Each has a small program that generates its code
 * ranges and lines (BinaryAnnotationOpcode in microsoft/microsoft-pdb, include/cvinfo.h). For inlined code, the line table
 * itself has the line of the outermost call.
 */
#ifndef SYMBOL_PDB_LINES_H
#define SYMBOL_PDB_LINES_H

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_symbols.h"
#include "symbol/symbol_file.h"

struct pdb_lines;

/* Both are borrowed. */
struct pdb_lines *pdb_lines_new(const struct pdb_file *file, const struct pdb_symbols *symbols);
void pdb_lines_free(struct pdb_lines *lines);

/* Addresses are relative to the image's start, and ascending. Unknown ones are left out. */
void pdb_lines_find(struct pdb_lines *lines, const uint64_t *rvas, size_t nr,
		    struct line_sink sink);

#endif
