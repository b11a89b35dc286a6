/*
 * Names of address ranges, sorted: filled, made ready once, then asked. Names are borrowed.
 *
 * Answers are those of perf (tools/perf/util/symbol.c, symbols__fixup_end() and choose_best_symbol()): a
 * symbol without size ends at the next one; of several symbols on one address one that has a size, is not
 * weak, is global, has fewer leading underscores, and has the longer name stands for all. Where none has a
 * size of its own the last one has that up to the next address. Where symbols overlap the last start that
 * covers the address wins. A limit is ours: behind .init and .fini there is often .plt, for which perf makes
 * symbols up.
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
	uint64_t start, end; /* end: `start` where the size is not known ... */
	uint64_t limit;      /* ... and it ends here at the latest; 0: no limit */
	const char *name;
	uint32_t order; /* set by the table: symbols of one address stay as they came */
	uint8_t binding;
	uint8_t area; /* a symbol without size does not reach into another area */
};

struct symbol_range {
	uint64_t end;
	uint32_t names, names_nr; /* in `names` of the table; the first stands for all */
	uint32_t outer;           /* the nearest range before that ends behind this one */
};

struct symbol_table {
	struct symbol_entry *entries; /* until it is ready */
	size_t entries_nr, entries_alloc;
	uint64_t *starts;
	struct symbol_range *ranges;
	size_t nr;
	const char **names;
};

void symbol_table_init(struct symbol_table *table);
void symbol_table_release(struct symbol_table *table);

void symbol_table_add(struct symbol_table *table, struct symbol_entry entry);

/* No more symbols come: find works from here on, in many threads. */
void symbol_table_ready(struct symbol_table *table);

bool symbol_table_find(const struct symbol_table *table, uint64_t address, struct symbol *symbol);

#endif
