/*
 * The functions of a PDB: procedures of its modules, which have a size, and public symbols, which end at the next
 * function or at the end of their section contribution.
 *
 * A public symbol has the linkage name, a procedure the name that a debugger shows. If an address has both, the public
 * symbol's name is preferred if it can be demangled (Rust); for Microsoft's C++ and for C on x86, the procedure's name is
 * preferred. The others are kept as additional names, without duplicates.
 *
 * Format: see pdb_records.h.
 */
#ifndef SYMBOL_PDB_SYMBOLS_H
#define SYMBOL_PDB_SYMBOLS_H

#include "model/function.h"
#include "symbol/pdb/pdb_file.h"
#include "symbol/pdb/pdb_records.h"

struct pdb_symbols;

/* `file` is borrowed; call pdb_file_read() before. */
struct pdb_symbols *pdb_symbols_new(const struct pdb_file *file);
void pdb_symbols_free(struct pdb_symbols *symbols);

/* The number of addresses with a symbol. */
size_t pdb_symbols_nr(const struct pdb_symbols *symbols);

/* The number of all public symbols and procedures in the file, including those without a valid address. */
size_t pdb_symbols_seen(const struct pdb_symbols *symbols);

/* Thread-safe. */
bool pdb_symbols_find(const struct pdb_symbols *symbols, uint64_t rva, struct symbol *symbol);

/*
 * Calls `take` with each public symbol, in the order of the file; the record is valid only during the call.
 *
 * Public symbols are in one stream with other records and, if the image was linked incrementally, with obsolete ones of its
 * earlier versions: the address map, in another stream, lists the valid ones. Format: LLVM's documentation, "The PDB Public
 * Symbol Stream"; microsoft/microsoft-pdb, PDB/dbi/gsi.h (PSGSIHDR).
 */
void pdb_publics_read(const struct pdb_file *file,
		      void (*take)(void *data, const struct pdb_record *record), void *data);

#endif
