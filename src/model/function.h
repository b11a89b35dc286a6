/*
 * Functions: what frames are called. Names come from a source (symbol/), asked once for each frame.
 */
#ifndef MODEL_FUNCTION_H
#define MODEL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "model/module.h"
#include "model/stack.h"
#include "util/strvec.h"

/* What a source knows of an offset in a module. All borrowed from the source, good as long as it lives. */
struct symbol {
	uint64_t start, end;     /* offsets in the module; end: behind its last byte */
	const char *name;        /* as in the symbol table */
	const char *const *also; /* more names of the same code: aliases, identical code folded */
	size_t also_nr;
};

struct symbol_source {
	void *data;
	/* False: no symbol covers the offset. */
	bool (*find)(void *data, const struct module *module, uint64_t offset,
		     struct symbol *symbol);
	/* The name for people, to be freed; NULL: as it is. May be NULL itself. */
	char *(*demangle)(void *data, const char *name);
};

struct function {
	uint32_t module;
	uint32_t
		name; /* equal for functions of the same name in all modules; see function_table_name() */
	char *linkage;  /* NULL: no symbol; the name is then "module!0x1234", or "[unknown]" */
	uint64_t start; /* of its symbol, the last one where it has several */
	char *file; /* where its code is, at the first of its frames that came up; NULL: not known */
	uint32_t line; /* 0 */
};

struct function_table {
	const struct module_table *modules;
	const struct stack_table *stacks;
	struct symbol_source source;
	struct line_source lines; /* `find` NULL: frames have no lines, and no level but 0 */
	struct function *v;
	size_t nr, alloc;
	char **names;
	size_t names_nr, names_alloc;
	struct function_lookup *lookup;
};

/* `source.find` may be NULL: nothing has a name then. */
void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source);
void function_table_release(struct function_table *table);

/* The function of a frame, added where it is new. */
uint32_t function_table_of(struct function_table *table, uint32_t frame);

/*
 * More names of code that has this name in this module, for people, each once: of all functions that it has, as
 * views show them as one. NULL: none.
 */
const struct strvec *function_table_also(const struct function_table *table, uint32_t function);

/* "[truncated]", "[not sampled]", "[unknown]", "malloc", "core::fmt::write", "libLLVM.so.19.1!0x1f00d"; of function.name. */
const char *function_table_name(const struct function_table *table, uint32_t name);

#endif
