/*
 * Where the frames of a flame graph are: which are wide enough to be drawn, and what they begin at.
 */
#ifndef REPORT_FLAME_LAYOUT_H
#define REPORT_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "report/frame_tree.h"

struct flame_frame {
	uint32_t node;        /* in the tree; FRAME_TREE_ROOT is all of it */
	uint32_t depth;       /* 0: the root */
	int64_t start, total; /* in the tree's values: start is counted from the left */
};

struct flame_layout {
	struct flame_frame *v; /* the root first, a caller before what it calls, siblings by name */
	size_t nr;
	uint32_t depth; /* of the deepest one */
	size_t narrow;  /* stacks that are not drawn */
	int64_t least;  /* what was drawn has at least this much */
};

/*
 * Frames below `least`, and the narrowest beyond `max_frames`, are left out, with all they call. Drawn siblings
 * stand side by side from their caller's left end.
 */
void flame_layout_init(struct flame_layout *layout, const struct frame_tree *tree, int64_t least,
		       size_t max_frames);
void flame_layout_release(struct flame_layout *layout);

#endif
