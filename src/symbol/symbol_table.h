/*
 * A sorted table of symbols: add them, call symbol_table_ready() once, then look them up. Names are borrowed.
 *
 * Results are those of perf (tools/perf/util/symbol.c, symbols__fixup_end() and choose_best_symbol()): a
 * symbol without size ends at the next one. Of several symbols at one address, the preferred one (by these criteria, in
 * this order) has a size, is not weak, is global, has fewer leading underscores, has the longer name. If none of them has a
 * size, the last one ends at the next address. If symbols overlap, the last one that starts before the address and covers
 * it wins. Only the limit is not perf's: .init and .fini are often followed by .plt, for which perf synthesizes symbols.
 */
#ifndef SYMBOL_SYMBOL_TABLE_H
#define SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"

enum symbol_binding {
	SYMBOL_LOCAL,
	SYMBOL_GLOBAL,
	SYMBOL_WEAK,
};

struct symbol_entry {
	uint64_t start, end; /* `end` is exclusive; equal to `start`: the size is unknown ... */
	uint64_t limit;      /* ... and the symbol ends here at the latest; 0: no limit */
	const char *name;
	uint32_t order; /* of adding; set by the table */
	uint8_t binding;
	uint8_t area; /* such as a section: a symbol without size does not reach into another area */
};

struct symbol_range {
	uint64_t end;
	uint32_t names, names_nr; /* in `names` of the table, the preferred one first */
	uint32_t outer;           /* the nearest previous range that ends after this one */
};

struct symbol_table {
	struct symbol_entry *entries; /* before symbol_table_ready() */
	size_t entries_nr, entries_alloc;
	uint64_t *starts;
	struct symbol_range *ranges;
	size_t nr;
	const char **names;
};

void symbol_table_init(struct symbol_table *table);
void symbol_table_release(struct symbol_table *table);

void symbol_table_add(struct symbol_table *table, struct symbol_entry entry);

/* Call it once, after all symbols were added. Then symbol_table_find() may be used, by several threads. */
void symbol_table_ready(struct symbol_table *table);

bool symbol_table_find(const struct symbol_table *table, uint64_t address, struct symbol *symbol);

#endif
