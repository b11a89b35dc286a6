/*
 * The directory symbols/ of a run: the names of all its frames. Views then need no binaries, which the next build
 * overwrites.
 *
 * The files are text, which people and scripts can read too (docs/symbols.md):
 * - functions.txt  "module ID PATH" lines, each followed by its functions: start, length, name, more names
 * - lines.txt      the same modules, each followed by offsets with their inlined functions and lines
 * - stacks.txt     the stacks of stack copies, as a trie, and the stack of each copy
 */
#ifndef SYMBOL_SYMBOL_STORE_H
#define SYMBOL_SYMBOL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/line.h"
#include "model/machine.h"
#include "util/err.h"

struct symbol_store;

/* An empty store. */
struct symbol_store *symbol_store_new(void);
void symbol_store_free(struct symbol_store *store);

/* Make it as if it were new. */
void symbol_store_empty(struct symbol_store *store);

void symbol_store_add(struct symbol_store *store, const struct module *module,
		      const struct symbol *symbol);
void symbol_store_add_lines(struct symbol_store *store, const struct module *module,
			    uint64_t offset, const struct symbol_line *lines, size_t nr);
/* Add the user part of the stack of copy `id`. `complete`: it reaches the thread's start. */
void symbol_store_add_stack(struct symbol_store *store, const struct machine *machine, uint64_t id,
			    uint32_t stack, bool complete);

/* Call it after adding: lookups find only what was added before. symbol_store_write_names() and _parse() call it too. */
void symbol_store_ready(struct symbol_store *store);

/* Write the files into `subdir` below `dir` (platform/below.h), each one atomically: all but the stacks, then these. */
int symbol_store_write_names(struct symbol_store *store, const char *dir, const char *subdir,
			     struct err *err);
int symbol_store_write_stacks(struct symbol_store *store, const char *dir, const char *subdir,
			      struct err *err);

/*
 * Add the contents of a file, given as text, which is copied; `name` is its file name. Damaged lines are skipped and
 * counted in `*damaged`. ERR_CORRUPT: not one of the store's files; ERR_UNSUPPORTED: of a newer version of the format.
 */
int symbol_store_parse(struct symbol_store *store, const char *name, const char *text, size_t len,
		       uint64_t *damaged, struct err *err);

/* Lookups are thread-safe while nothing is added. */

/* Whether the store has any function of the module. */
bool symbol_store_has(const struct symbol_store *store, const struct module *module);
bool symbol_store_find(const struct symbol_store *store, const struct module *module,
		       uint64_t offset, struct symbol *symbol);
size_t symbol_store_lines(const struct symbol_store *store, const struct module *module,
			  uint64_t offset, const struct symbol_line **lines);
/* The source of lines for function_finder.lines. */
struct line_source symbol_store_line_source(struct symbol_store *store);
/* The stack of a copy, as an id of the machine, to which its modules are added; STACK_EMPTY: not in the store. */
uint32_t symbol_store_stack(struct symbol_store *store, struct machine *machine, uint64_t id,
			    bool *complete);

extern const char *const symbol_store_files[]; /* ends with NULL */
#define SYMBOL_STORE_LINES  "lines.txt"
#define SYMBOL_STORE_STACKS "stacks.txt"

#endif
