/*
 * The symbols of an ELF file, as one sorted table: .symtab of its separate debug file, else its own .symtab,
 * else .dynsym. Offsets are file offsets, as in mappings; the program headers map them to addresses. Results
 * are those of perf (symbol_table.h), but no symbols are synthesized for the PLT.
 *
 * Format: the ELF specification, by libelf.
 */
#ifndef SYMBOL_ELF_ELF_SYMBOLS_H
#define SYMBOL_ELF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/module.h"
#include "util/err.h"

struct elf_symbols;

/*
 * Read the symbols of the file at `path`; `*symbols` is NULL if the module has a build id and the file another
 * one. `debug_path` (may be NULL) is its debug file, which is ignored if it cannot be read. ERR_NOT_FOUND: no file at the
 * path; ERR_CORRUPT: not an ELF file. Of a damaged file, those symbols are read that are intact.
 */
int elf_symbols_open(const struct module *module, const char *path, const char *debug_path,
		     struct elf_symbols **symbols, struct err *err);

/* Read the symbols of an image in memory, which is copied. */
int elf_symbols_open_image(const void *image, size_t size, struct elf_symbols **symbols,
			   struct err *err);
void elf_symbols_free(struct elf_symbols *symbols);

/* The build id of the file; *nr is 0 if it has none. */
void elf_symbols_id(const struct elf_symbols *symbols, const uint8_t **id, size_t *nr);

/* The name of its debug file by .gnu_debuglink, and that file's CRC; NULL. */
const char *elf_symbols_debuglink(const struct elf_symbols *symbols, uint32_t *crc);

/* The virtual address of a file offset, as in symbol tables and DWARF; false: the offset is not loaded. */
bool elf_symbols_address(const struct elf_symbols *symbols, uint64_t offset, uint64_t *address);

/* Whether the symbols are from a .symtab, which has all functions; .dynsym has only exported ones. */
bool elf_symbols_has_table(const struct elf_symbols *symbols);

/* The number of addresses with a symbol. */
size_t elf_symbols_nr(const struct elf_symbols *symbols);

/* Thread-safe once opened. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, struct symbol *symbol);

#endif
