/*
 * A flame graph as one SVG file that needs nothing beside it: the root at the bottom, each frame as wide as its
 * share, siblings by name. A click zooms, a search marks by a pattern, Escape takes both back; without a script
 * engine, as in an <img>, it is a picture with tooltips. Equal input gives equal bytes.
 */
#ifndef REPORT_FLAMEGRAPH_H
#define REPORT_FLAMEGRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "report/frame_tree.h"

enum flame_unit {
	FLAME_BYTES,
	FLAME_NS,
	FLAME_COUNT, /* of what is not known: folded text has no units */
};

/* What is drawn has at least this many hundredths of a pixel, and is not more than so many frames. */
#define FLAME_LEAST_WIDTH 10
#define FLAME_MAX_FRAMES  20000

struct flame_options {
	const char *title;    /* "Memory at the peak of the whole build" */
	const char *subtitle; /* what it is of: the run, the range; may be NULL */
	const char *root;     /* the name of all of it; NULL: "all" */
	enum flame_unit unit;
	bool fragment; /* to stand in an HTML page: no XML declaration */
};

/* A failed write is left in ferror(out). */
void flamegraph_write(const struct frame_tree *tree, const struct flame_options *options,
		      FILE *out);

#endif
