/*
 * What was inlined into a procedure of a PDB, at many addresses at once; see pdb_lines.h.
 */
#ifndef SYMBOL_PDB_INLINES_H
#define SYMBOL_PDB_INLINES_H

#include "symbol/pdb/pdb_unit.h"

#define PDB_NOT_INLINED UINT32_MAX

/* A function that was inlined at an address, and the line in it there. */
struct pdb_level {
	uint32_t caller; /* place in `levels`; PDB_NOT_INLINED: the procedure itself */
	uint32_t site;   /* numbered from 1 in the procedure */
	uint32_t id;     /* pdb_ids_name() */
	uint32_t file, line;
};

struct pdb_inlines {
	struct pdb_level *levels;
	size_t levels_nr, levels_alloc;
	/* Of each address, as they were given: place in `levels`, or PDB_NOT_INLINED. */
	uint32_t *innermost;
};

/* Linked addresses, ascending. */
void pdb_inlines_read(const struct pdb_unit *unit, const struct pdb_procedure *procedure,
		      const uint32_t *addresses, size_t nr, struct pdb_inlines *inlines);
void pdb_inlines_release(struct pdb_inlines *inlines);

#endif
