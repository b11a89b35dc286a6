/*
 * Lines of source code: which functions a place in a module is of, by what was inlined there. They come from a
 * source (symbol/), asked once for each place.
 */
#ifndef MODEL_LINE_H
#define MODEL_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

/* One level of what is inlined at an address: the function that the code is of, and the line in it. */
struct symbol_line {
	const char *function; /* linkage name; NULL: not known */
	const char *file;     /* NULL */
	uint32_t line;        /* 0: not known */
};

struct line_source {
	void *data;
	/* The levels of a place, innermost first, good until the next call; 0: not known. */
	size_t (*find)(void *data, const struct module *module, uint64_t offset,
		       const struct symbol_line **lines);
};

#endif
