/*
 * Source lines of code: the function at an offset of a module, and the functions inlined there. They come from a source
 * (symbol/), which is asked once for each offset.
 */
#ifndef MODEL_LINE_H
#define MODEL_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

/* One level of inlining at an address: a function and the line in it. */
struct symbol_line {
	const char *function; /* linkage name; NULL: not known */
	const char *file;     /* NULL: not known */
	uint32_t line;        /* 0: not known */
};

struct line_source {
	void *data;
	/* The levels of an offset, innermost first, valid until the next call. Returns their number; 0: unknown. */
	size_t (*find)(void *data, const struct module *module, uint64_t offset,
		       const struct symbol_line **lines);
};

#endif
