/*
 * Functions: what frames are called. Names come from a source (symbol/), asked once for each frame.
 *
 * A frame is a place in a function; where it is known what was inlined there, it is of several functions: the one that has
 * the place, what is inlined in that there, and so on.
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
	uint32_t line;  /* 0 */
	uint32_t frame; /* that of the line */
};

/* One of the functions of a frame. */
struct frame_function {
	uint32_t function, name; /* in the function table */
};

/* More functions than this inlined into each other are a damaged file; the innermost are left out. */
#define FUNCTION_LEVELS 255

struct function_table {
	const struct module_table *modules;
	const struct stack_table *stacks;
	struct symbol_source source;
	struct line_source
		lines; /* `find` NULL: nothing is known of lines, and of what is inlined */
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

/* The function that has the place of a frame, added where it is new. */
uint32_t function_table_of(struct function_table *table, uint32_t frame);

/* The functions of a frame, that one first and the innermost last; how many they are, at least 1. */
size_t function_table_levels(struct function_table *table, uint32_t frame,
			     struct frame_function levels[FUNCTION_LEVELS]);

/*
 * More names of code that has this name in this module, for people, each once: of all functions that it has, as
 * views show them as one. NULL: none.
 */
const struct strvec *function_table_also(const struct function_table *table, uint32_t function);

/* "[truncated]", "[not sampled]", "[unknown]", "malloc", "core::fmt::write", "libLLVM.so.19.1!0x1f00d"; of function.name. */
const char *function_table_name(const struct function_table *table, uint32_t name);

#endif
