/*
 * A flame graph as one self-contained SVG file: the root is at the bottom, the width of a frame is its share of the
 * total, and siblings are sorted by name. A click zooms, a search highlights the frames that match a pattern, Escape
 * resets both; without scripts, as in an <img>, it is an image with tooltips. Equal input gives equal bytes.
 */
#ifndef REPORT_FLAMEGRAPH_H
#define REPORT_FLAMEGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/frame_tree.h"
#include "report/table.h"
#include "util/strbuf.h"

/*
 * Frames narrower than this, in hundredths of a pixel, are not drawn; nor, if there are more frames than the second
 * limit, the narrowest.
 */
#define FLAME_LEAST_WIDTH 10
#define FLAME_MAX_FRAMES  20000

/* What a frame has on each side of a comparison, with all that it calls. */
struct flame_sides {
	int64_t base, new;
};

struct flame_options {
	const char *title;     /* "Memory at the peak of the whole build" */
	const char *subtitle;  /* what was selected: trace, filters, times; may be NULL */
	const char *root;      /* the name of the root; NULL: "all" */
	enum column_type unit; /* COLUMN_BYTES, COLUMN_DURATION; COLUMN_INT: unknown */
	bool fragment;         /* for an HTML page: no XML declaration */
	bool root_first;       /* the root is at the top: a reader who scrolls sees it first */
	/* By node: colours say what grew and what shrank, and frames have both values. NULL: it is no comparison. */
	const struct flame_sides *sides;
};

/* A failed write is left in ferror(out). */
void flamegraph_write(const struct frame_tree *tree, const struct flame_options *options,
		      FILE *out);

/* Append the script and the style of a flame graph, as their elements hold them: for the policy of a page. */
void flamegraph_add_script(struct strbuf *sb);
void flamegraph_add_style(struct strbuf *sb);

/* The frames of a flame graph that are wide enough to be drawn, and their positions. */
struct flame_frame {
	uint32_t node;        /* in the tree; FRAME_TREE_ROOT stands for the whole tree */
	uint32_t depth;       /* 0: the root */
	int64_t start, total; /* position from the left and width, in values of the tree */
};

struct flame_layout {
	struct flame_frame *v; /* the root first, callers before callees, siblings by name */
	size_t nr;
	uint32_t depth; /* of the deepest one */
	size_t narrow;  /* number of frames that are not drawn */
	int64_t least;  /* the total of drawn frames is at least this */
};

/*
 * Frames with a total below `least` are left out with their callees, and, if there are more than `max_frames`, the
 * narrowest. Drawn siblings are next to each other, from the left end of their caller.
 */
void flame_layout_init(struct flame_layout *layout, const struct frame_tree *tree, int64_t least,
		       size_t max_frames);
void flame_layout_release(struct flame_layout *layout);

#endif
