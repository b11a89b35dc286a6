/*
 * Functions of frames. Names come from a source (symbol/), which is asked once for each frame.
 *
 * A frame is in one function, or in several where functions were inlined: the function that has the code, the function
 * inlined into it there, and so on.
 */
#ifndef MODEL_FUNCTION_H
#define MODEL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "model/module.h"
#include "model/stack.h"
#include "util/hash_index.h"
#include "util/strvec.h"

/* The symbol that covers an offset in a module. Owned by the source, valid as long as it exists. */
struct symbol {
	uint64_t start, end;     /* offsets in the module; `end` is exclusive */
	const char *name;        /* as in the symbol table */
	const char *const *also; /* more names of the same code: aliases, identical code folding */
	size_t also_nr;
};

struct symbol_source {
	void *data;
	/* False: no symbol covers the offset. */
	bool (*find)(void *data, const struct module *module, uint64_t offset,
		     struct symbol *symbol);
	/* The demangled name, which the caller frees; NULL: the name needs none. May be NULL. Thread-safe. */
	char *(*demangle)(void *data, const char *name);
};

/* The maximum depth of inlining. A file with more is damaged; the innermost functions are left out. */
#define FUNCTION_LEVELS 255

/* A symbol, or an offset without one, that was found for the first time. */
struct found_name {
	uint32_t module;
	struct symbol symbol; /* name NULL: there is none */
	char *name;           /* of an offset without a symbol, to be freed; else NULL */
};

/* A function of a frame. */
struct found_level {
	uint32_t number;  /* of its name: 0, 1, ... in the order found */
	uint32_t line;    /* 0: unknown */
	const char *file; /* owned by the source; NULL: unknown */
};

/* A frame that was found. Its functions follow those of the previous frame in `levels`, outermost first. */
struct found_frame {
	uint32_t frame, levels_nr;
};

struct found_functions {
	struct found_name *names; /* new ones, by number */
	size_t names_nr, names_alloc;
	struct found_frame *frames;
	size_t frames_nr, frames_alloc;
	struct found_level *levels;
	size_t levels_nr, levels_alloc;
};

void found_functions_release(struct found_functions *found);

/*
 * Finds the functions of frames in the sources. It does not use the function table, so that it can run in another thread
 * than the one that adds its results to the table.
 */
struct function_finder {
	const struct module_table *modules;
	const struct stack_table *stacks;
	struct symbol_source source;
	/* `find` NULL: lines and inlined functions are unknown. */
	struct line_source lines;
	struct seen_symbol *seen; /* symbols found so far */
	size_t seen_nr, seen_alloc;
	struct hash_index seen_index;
	uint32_t names_nr; /* names found so far */
};

/* Add the functions of a frame to `found`. Call it once for each frame. */
void function_finder_find(struct function_finder *finder, uint32_t frame,
			  struct found_functions *found);

struct function {
	uint32_t module;
	/* Equal for functions of the same name in all modules; see function_table_name(). */
	uint32_t name;
	char *linkage;  /* NULL: no symbol; the name is then "module!0x1234", or "[unknown]" */
	char *file;     /* source file of `frame`; NULL: unknown */
	uint32_t line;  /* 0: unknown */
	uint32_t frame; /* the lowest frame of the function that has a line */
};

/* One of the functions of a frame. */
struct frame_function {
	uint32_t function, name; /* in the function table */
};

struct function_table {
	struct function_finder finder;
	struct function *v;
	size_t nr, alloc;
	char **names;
	size_t names_nr, names_alloc;
	struct function_lookup *lookup;
};

/* If `source.find` is NULL, no function has a symbol. */
void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source);
void function_table_release(struct function_table *table);

/*
 * Add the finder's results, in the order in which they were found. Frames are found either one by one by the functions
 * below, or by a finder and added here; each must be found once.
 */
void function_table_take(struct function_table *table, struct found_functions *found);

/* The outermost function of a frame, added if it is new. */
uint32_t function_table_of(struct function_table *table, uint32_t frame);

/* The functions of a frame, outermost first. Returns their number, at least 1. */
size_t function_table_levels(struct function_table *table, uint32_t frame,
			     struct frame_function levels[FUNCTION_LEVELS]);

/*
 * The names of the functions of a frame that was found, outermost first. Returns their number; 0: the frame was not found.
 */
size_t function_table_names(const struct function_table *table, uint32_t frame,
			    uint32_t names[FUNCTION_LEVELS]);

/*
 * More demangled names of the functions that have this name in this module, each once; views show such functions as one.
 * NULL: none.
 */
const struct strvec *function_table_also(const struct function_table *table, uint32_t function);

/*
 * "[truncated]", "[not sampled]", "[unknown]", "malloc", "core::fmt::write", "libLLVM.so.19.1!0x1f00d"; of function.name.
 */
const char *function_table_name(const struct function_table *table, uint32_t name);

#endif
