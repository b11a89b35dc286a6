/*
 * The public symbols of a PDB.
 *
 * They stand in one stream with other records, and with those of earlier versions of the image, if it was linked
 * incrementally: which ones count is in the map by address of another stream. Format: LLVM's documentation, "The PDB Public
 * Symbol Stream"; microsoft/microsoft-pdb, PDB/dbi/gsi.h (PSGSIHDR).
 */
#ifndef SYMBOL_PDB_PUBLICS_H
#define SYMBOL_PDB_PUBLICS_H

#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_records.h"

/* Each of them, in the order of the file; the record is good during the call only. Without the map it is all there are. */
void pdb_publics_read(const struct pdb_file *file,
		      void (*take)(void *data, const struct pdb_record *record), void *data);

#endif
