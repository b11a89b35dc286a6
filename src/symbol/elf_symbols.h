/*
 * The symbols of an ELF file, as one sorted table of our own: .symtab of its separate debug file, else its
 * own, else .dynsym. Offsets are those in the file, as mappings have them: the table translates by the
 * program headers. Answers are those of perf; see symbol_table.h. Symbols of the PLT are not made up.
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
 * Read the symbols of `path`; `debug_path` (may be NULL) is the file that has more of them, and is left out
 * where it cannot be read. ERR_NOT_FOUND where there is no `path`, ERR_CORRUPT where it is no ELF file; one
 * that is damaged has the symbols that can be had.
 */
int elf_symbols_open(const char *path, const char *debug_path, struct elf_symbols **symbols,
		     struct err *err);

/* The same of one in memory, which is copied. */
int elf_symbols_open_image(const void *image, size_t size, struct elf_symbols **symbols,
			   struct err *err);
void elf_symbols_free(struct elf_symbols *symbols);

/* Its build id; *nr 0 where it has none. */
void elf_symbols_id(const struct elf_symbols *symbols, const uint8_t **id, size_t *nr);

/* The name of its debug file by .gnu_debuglink, and that file's CRC; NULL. */
const char *elf_symbols_debuglink(const struct elf_symbols *symbols, uint32_t *crc);

/* The address of an offset, as symbol tables and DWARF have it; false: it is not loaded. */
bool elf_symbols_address(const struct elf_symbols *symbols, uint64_t offset, uint64_t *address);

/* Whether they are of a .symtab: all there are, not those only that others may call. */
bool elf_symbols_has_table(const struct elf_symbols *symbols);

/* Addresses that have a symbol. */
size_t elf_symbols_nr(const struct elf_symbols *symbols);

/* Thread-safe once opened. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, struct symbol *symbol);

#endif
