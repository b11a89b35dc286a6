/*
 * What a symbol store holds; for the files that read and write it only.
 */
#ifndef SYMBOL_STORE_CONTENT_H
#define SYMBOL_STORE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "symbol/module_map.h"
#include "symbol/pool.h"
#include "symbol/symbol_store.h"
#include "symbol/symbol_table.h"
#include "util/intmap.h"
#include "util/strbuf.h"

#define STORE_FUNCTIONS "functions.txt"
#define STORE_STACKS    "stacks.txt"

/* The first line of each file. */
#define STORE_FUNCTIONS_HEAD "stagetrace-functions"
#define STORE_LINES_HEAD     "stagetrace-lines"
#define STORE_STACKS_HEAD    "stagetrace-stacks"
#define STORE_VERSION        1

/* Numbers of frames in stacks.txt that stand for what is not there; the file's own come behind them. */
enum {
	STORE_TRUNCATED,
	STORE_NOT_SAMPLED,
	STORE_UNKNOWN,
	STORE_FRAME_FIRST,
};

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
	bool dirty; /* something came since it was last sorted */
	struct store_function *functions;
	size_t functions_nr, functions_alloc;
	struct intmap starts; /* of the functions that were added */
	struct store_place *places;
	size_t places_nr, places_alloc;
	struct symbol_table table;
};

struct store_copy {
	uint64_t id;
	uint32_t stack;
	bool whole;
};

/* Ids of one table as those of another, worked out as they come; 0: not yet. */
struct store_ids {
	const struct machine *machine;
	uint32_t *stacks, *modules;
	size_t stacks_nr, modules_nr;
	uint32_t *path; /* room for a stack's callers on the way to one that is known */
	size_t path_alloc;
};

struct symbol_store {
	struct pool pool;
	struct module_map keys;
	struct store_module *modules; /* as in `keys` */
	size_t modules_nr, modules_alloc;
	char **texts; /* that names point into */
	size_t texts_nr, texts_alloc;
	struct stack_table stacks; /* frames' modules: those of `modules`, from 1 up */
	struct store_copy *copies;
	size_t copies_nr, copies_alloc;
	bool copies_sorted;
	struct store_ids taken, given; /* from and to a machine */
};

/* The store's module, added where it is new; its number is one more than its index. */
uint32_t store_module_add(struct symbol_store *store, const char *path, const uint8_t *id,
			  size_t id_nr, bool kernel);

void store_add_function(struct store_module *module, struct store_function function);
void store_add_place(struct store_module *module, struct store_place place);
void store_add_copy(struct symbol_store *store, struct store_copy copy);
void store_sort_copies(struct symbol_store *store);
void store_ids_release(struct store_ids *ids);

/* One of its files, as text; the store is ready. */
void store_add_text(const struct symbol_store *store, const char *name, struct strbuf *sb);

#endif
