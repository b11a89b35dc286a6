/*
 * The contents of a symbol store, private to symbol_store.c and store_files.c.
 */
#ifndef SYMBOL_STORE_CONTENT_H
#define SYMBOL_STORE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "model/machine.h"
#include "model/stack.h"
#include "symbol/module_map.h"
#include "symbol/pool.h"
#include "symbol/symbol_table.h"
#include "util/intmap.h"
#include "util/strbuf.h"

struct store_function {
	uint64_t start, end;
	const char *const *names;
	uint32_t names_nr;
};

struct store_place {
	uint64_t offset;
	const struct symbol_line *lines;
	uint32_t lines_nr;
};

struct store_module {
	bool kernel;
	bool dirty; /* something was added since it was last sorted */
	struct store_function *functions;
	size_t functions_nr, functions_alloc;
	struct intmap starts; /* to find duplicates of functions */
	struct store_place *places;
	size_t places_nr, places_alloc;
	struct symbol_table table;
};

struct store_copy {
	uint64_t id;
	uint32_t stack;
	bool complete;
};

/* Maps ids of one table to those of another. Entries are computed when needed; 0: not yet. */
struct store_ids {
	const struct machine *machine;
	uint32_t *stacks, *modules;
	size_t stacks_nr, modules_nr;
	uint32_t *path; /* buffer for the callers of a stack that are not yet mapped */
	size_t path_alloc;
};

struct symbol_store {
	struct pool pool;
	struct module_map keys;
	struct store_module *modules; /* as in `keys` */
	size_t modules_nr, modules_alloc;
	char **texts; /* copies of the files; names point into them */
	size_t texts_nr, texts_alloc;
	struct stack_table stacks; /* a frame's module is an index in `modules` + 1 */
	struct store_copy *copies;
	size_t copies_nr, copies_alloc;
	bool copies_sorted;
	struct store_ids taken, given; /* from a machine to the store, and back */
};

/* The number of a module, which is added if it is new: its index in `modules` + 1. */
uint32_t store_module_add(struct symbol_store *store, const char *path, const uint8_t *id,
			  size_t id_nr, bool kernel);

void store_add_function(struct store_module *module, struct store_function function);
void store_add_place(struct store_module *module, struct store_place place);
void store_add_copy(struct symbol_store *store, struct store_copy copy);

/* Append the text of one of the store's files. Call symbol_store_ready() before. */
void store_add_text(const struct symbol_store *store, const char *name, struct strbuf *sb);

#endif
