/*
 * What sources say of frames, before a function table has it: asking them, and names for people, need nothing of the
 * table, and may be another thread's.
 */
#ifndef MODEL_FUNCTION_FINDER_H
#define MODEL_FUNCTION_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "model/module.h"
#include "model/stack.h"

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
	/* The name for people, to be freed; NULL: as it is. May be NULL itself. Thread-safe. */
	char *(*demangle)(void *data, const char *name);
};

/* More functions than this inlined into each other are a damaged file; the innermost are left out. */
#define FUNCTION_LEVELS 255

/* A symbol, or a place that has none, that came up for the first time. */
struct found_name {
	uint32_t module;
	struct symbol symbol; /* name NULL: there is none */
	char *name;           /* of a place without a symbol, to be freed; else NULL */
};

/* A function of a frame. */
struct found_level {
	uint32_t number;  /* of its name, from 0, as they came up */
	uint32_t line;    /* 0 */
	const char *file; /* the source's; NULL */
};

/* Its levels follow those of the one before; the outermost first. */
struct found_frame {
	uint32_t frame, levels_nr;
};

struct found_functions {
	struct found_name *names; /* that are new, in the order of their numbers */
	size_t names_nr, names_alloc;
	struct found_frame *frames;
	size_t frames_nr, frames_alloc;
	struct found_level *levels;
	size_t levels_nr, levels_alloc;
};

void found_functions_release(struct found_functions *found);

/* The symbols that came up. */
struct met_symbols {
	struct met *v; /* open addressing */
	size_t nr, alloc;
};

struct function_finder {
	const struct module_table *modules;
	const struct stack_table *stacks;
	struct symbol_source source;
	/* `find` NULL: nothing is known of lines, and of what is inlined. */
	struct line_source lines;
	struct met_symbols met;
	uint32_t names_nr; /* names that came up */
};

/* `source.find` may be NULL: nothing has a name then. */
void function_finder_init(struct function_finder *finder, const struct module_table *modules,
			  const struct stack_table *stacks, struct symbol_source source);
void function_finder_release(struct function_finder *finder);

/* Add what is known of a frame, which is asked for once. */
void function_finder_find(struct function_finder *finder, uint32_t frame,
			  struct found_functions *found);

#endif
