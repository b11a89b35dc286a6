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

#include "model/function_finder.h"
#include "util/strvec.h"

struct function {
	uint32_t module;
	/* Equal for functions of the same name in all modules; see function_table_name(). */
	uint32_t name;
	char *linkage; /* NULL: no symbol; the name is then "module!0x1234", or "[unknown]" */
	char *file; /* where its code is, at the first of its frames that came up; NULL: not known */
	uint32_t line;  /* 0 */
	uint32_t frame; /* that of the line */
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

/* `source.find` may be NULL: nothing has a name then. */
void function_table_init(struct function_table *table, const struct module_table *modules,
			 const struct stack_table *stacks, struct symbol_source source);
void function_table_release(struct function_table *table);

/*
 * Take what the table's finder has found, in the order in which it was found. Frames are asked for by hand as below, or found
 * ahead and taken, as long as each is found once.
 */
void function_table_take(struct function_table *table, struct found_functions *found);

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
