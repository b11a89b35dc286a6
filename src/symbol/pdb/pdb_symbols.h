/*
 * The functions of a PDB: procedures of its modules, which have a size, and public symbols, which end at the next
 * function, or with the piece of code (section contribution) that they are in.
 *
 * A public has the linkage name, a procedure the one that a debugger shows. Of one address the public's stands for it
 * where it can be demangled (Rust); of Microsoft's C++, and of C on x86, the procedure's says more. All the others are
 * kept as more names, but for those that say the same once more.
 *
 * Format: see pdb_records.h.
 */
#ifndef SYMBOL_PDB_SYMBOLS_H
#define SYMBOL_PDB_SYMBOLS_H

#include "model/function.h"
#include "symbol/pdb/pdb_file.h"

struct pdb_symbols;

/* `file` was read, and is borrowed. */
struct pdb_symbols *pdb_symbols_new(const struct pdb_file *file);
void pdb_symbols_free(struct pdb_symbols *symbols);

/* Addresses that have a symbol. */
size_t pdb_symbols_nr(const struct pdb_symbols *symbols);

/* Public symbols and procedures of any kind that the file has, also those that are at no address. */
size_t pdb_symbols_seen(const struct pdb_symbols *symbols);

/* Thread-safe. */
bool pdb_symbols_find(const struct pdb_symbols *symbols, uint64_t rva, struct symbol *symbol);

#endif
