/*
 * Source lines and inlined functions of addresses, from the DWARF of an ELF file or its debug file (libdw).
 *
 * Asked for many addresses at once: compilation unit by unit, each one's tree is walked once. What libdw keeps of a
 * unit is given back on the way, so that memory does not grow with the file.
 */
#ifndef SYMBOL_SOURCE_LINES_H
#define SYMBOL_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "symbol/symbol_store.h"
#include "util/err.h"

struct source_lines;

/*
 * `debug_path` is the debug file of `path`, NULL where it has none. ERR_NOT_FOUND where there is no DWARF, ERR_CORRUPT
 * where that cannot be read.
 */
int source_lines_open(const char *path, const char *debug_path, struct source_lines **lines,
		      struct err *err);
void source_lines_free(struct source_lines *lines);

/* Takes what is known of addresses[index], innermost first; good during the call only. Thread-safe where there is a helper. */
struct source_lines_taker {
	void *data;
	void (*take)(void *data, size_t index, const struct symbol_line *lines, size_t nr);
};

/*
 * Addresses as DWARF has them (elf_symbols_address()), ascending. Of some nothing is known: they are not told. With a helper
 * (NULL: none) they are told in any order.
 */
void source_lines_find(struct source_lines *lines, const uint64_t *addresses, size_t nr,
		       struct helper *helper, struct source_lines_taker taker);

#endif
