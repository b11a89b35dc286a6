/*
 * The symbols of an ELF file, as one sorted table of our own: .symtab, else .dynsym, and .symtab of its
 * separate debug file. Offsets are those in the file, as mappings have them: the table translates by the
 * program headers. Answers are those of perf for frame pointer stacks: of several symbols on one address the
 * global, non-weak one with fewer leading underscores and the longer name stands for all.
 *
 * Format: the ELF specification, by libelf.
 */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "util/err.h"

struct elf_symbols;

/*
 * Read the symbols of `path`; `debug_path` (may be NULL) is the file that has more of them. ERR_CORRUPT where
 * it is no ELF file or damaged.
 */
int elf_symbols_open(const char *path, const char *debug_path, struct elf_symbols **symbols,
		     struct err *err);
void elf_symbols_free(struct elf_symbols *symbols);

/* Its build id; *nr 0 where it has none. */
void elf_symbols_id(const struct elf_symbols *symbols, const uint8_t **id, size_t *nr);

/* The name of its debug file by .gnu_debuglink; NULL. And an address, as its DWARF has it. */
const char *elf_symbols_debuglink(const struct elf_symbols *symbols);
bool elf_symbols_address(const struct elf_symbols *symbols, uint64_t offset, uint64_t *address);

size_t elf_symbols_nr(const struct elf_symbols *symbols);

/* Thread-safe once opened. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, struct symbol *symbol);

#endif
