/*
 * symbols/ of a run: all that its frames are called, so that no view needs the binaries again. The next build
 * overwrites them.
 *
 * Text files, for people and scripts too (docs/symbols.md):
 * - functions.txt  "module ID PATH" lines, each followed by its functions: start, length, name, more names
 * - lines.txt      the same modules, each followed by addresses with their chain of inlined functions and lines
 * - stacks.txt     the stacks that were unwound, as a trie, and which copy has which
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

/* For filling. */
struct symbol_store *symbol_store_new(void);
void symbol_store_free(struct symbol_store *store);

void symbol_store_add(struct symbol_store *store, const struct module *module,
		      const struct symbol *symbol);
void symbol_store_add_lines(struct symbol_store *store, const struct module *module,
			    uint64_t offset, const struct symbol_line *lines, size_t nr);
/* The process's part of the stack of copy `id`; all its modules' offsets are kept with it. */
void symbol_store_add_stack(struct symbol_store *store, const struct machine *machine, uint64_t id,
			    uint32_t stack, bool whole);

/* What was added is found from here on; reading and writing do it too. */
void symbol_store_ready(struct symbol_store *store);

/* Write its files into the directory, each whole or not at all. */
int symbol_store_write(struct symbol_store *store, const char *dir, struct err *err);

/*
 * Read one of the files from text; `name` (its file name) says which, and is for messages. Damaged lines are
 * left out and counted; ERR_CORRUPT where it is none of these files, ERR_UNSUPPORTED where it is of a newer
 * version. The text is copied.
 */
int symbol_store_parse(struct symbol_store *store, const char *name, const char *text, size_t len,
		       uint64_t *damaged, struct err *err);

/* Thread-safe, once filled. Whether it has functions of the module at all: */
bool symbol_store_has(const struct symbol_store *store, const struct module *module);
bool symbol_store_find(const struct symbol_store *store, const struct module *module,
		       uint64_t offset, struct symbol *symbol);
size_t symbol_store_lines(const struct symbol_store *store, const struct module *module,
			  uint64_t offset, const struct symbol_line **lines);
/* For function_finder.lines; what is added later is found once the store is ready again. */
struct line_source symbol_store_line_source(struct symbol_store *store);
/* STACK_EMPTY: not there. Modules are made in the machine as needed. */
uint32_t symbol_store_stack(struct symbol_store *store, struct machine *machine, uint64_t id,
			    bool *whole);

extern const char *const symbol_store_files[]; /* ends with NULL */
#define SYMBOL_STORE_LINES "lines.txt"         /* that of the lines */

#endif
