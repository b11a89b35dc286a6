/*
 * Source lines and inlined functions of addresses, from the DWARF of an ELF file or its debug file (libdw).
 *
 * Many addresses are looked up at once, by compilation unit: the tree of each unit is walked once. The memory that libdw
 * needs for a unit is freed on the way, so that it does not grow with the file.
 */
#ifndef SYMBOL_ELF_SOURCE_LINES_H
#define SYMBOL_ELF_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "symbol/symbol_file.h"
#include "util/err.h"

struct source_lines;

/*
 * `debug_path` is the debug file of `path`; NULL: none. ERR_NOT_FOUND: no DWARF in either; ERR_CORRUPT: the DWARF cannot be
 * read.
 */
int source_lines_open(const char *path, const char *debug_path, struct source_lines **lines,
		      struct err *err);
void source_lines_free(struct source_lines *lines);

/*
 * Look up virtual addresses (elf_symbols_address()), which must be ascending. Unknown ones are left out. With a
 * helper (NULL: none) they are reported in any order.
 */
void source_lines_find(struct source_lines *lines, const uint64_t *addresses, size_t nr,
		       struct helper *helper, struct line_sink sink);

#endif
