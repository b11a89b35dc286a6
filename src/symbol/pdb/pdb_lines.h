/*
 * Source lines and inlined functions of addresses, from a PDB. A module is read when an address of it is asked for, and
 * the last one is kept.
 *
 * What was inlined stands in a procedure's records as sites, one in the other, each with a small program that tells its
 * pieces of code and their lines (BinaryAnnotationOpcode in microsoft/microsoft-pdb, include/cvinfo.h). The line table
 * itself has for inlined code the line of the outermost call.
 */
#ifndef SYMBOL_PDB_LINES_H
#define SYMBOL_PDB_LINES_H

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_symbols.h"
#include "symbol/source_lines.h"

struct pdb_lines;

/* Both are borrowed. */
struct pdb_lines *pdb_lines_new(const struct pdb_file *file, const struct pdb_symbols *symbols);
void pdb_lines_free(struct pdb_lines *lines);

/* Addresses relative to the image's start, ascending. Of some nothing is known: they are not told. */
void pdb_lines_find(struct pdb_lines *lines, const uint64_t *rvas, size_t nr,
		    struct source_lines_taker taker);

#endif
