#include "report/flame_layout.h"

#include <stdlib.h>

#include "util/alloc.h"

static int compare_down(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

/* The smallest total that keeps at most `max_frames`: equal ones go together. */
static int64_t raise_least(const int64_t *totals, size_t nr, int64_t least, size_t max_frames)
{
	int64_t *wide = xcalloc(nr, sizeof(*wide));
	size_t wide_nr = 0;

	for (size_t i = 1; i < nr; i++) {
		if (totals[i] >= least)
			wide[wide_nr++] = totals[i];
	}
	if (wide_nr > max_frames) {
		qsort(wide, wide_nr, sizeof(*wide), compare_down);
		least = wide[max_frames] + 1;
	}
	free(wide);
	return least;
}

struct ordered {
	uint32_t parent, rank, node;
};

static int compare_ordered(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The nodes that are drawn but for the root: by parent, then name. */
static struct ordered *order_drawn(const struct frame_tree *tree, const int64_t *totals,
				   int64_t least, size_t *nr)
{
	struct ordered *drawn = xcalloc(tree->nodes_nr, sizeof(*drawn));
	uint32_t *ranks = frame_tree_ranks(tree);

	*nr = 0;
	for (size_t i = 1; i < tree->nodes_nr; i++) {
		if (totals[i] >= least)
			drawn[(*nr)++] =
				(struct ordered){ tree->nodes[i].parent, ranks[tree->nodes[i].name],
						  (uint32_t)i };
	}
	if (*nr)
		qsort(drawn, *nr, sizeof(*drawn), compare_ordered);
	free(ranks);
	return drawn;
}

/*
 * A parent's index is smaller than its children's, and `drawn` is sorted by it: so each parent has its place
 * before its children ask for it.
 */
static void place(struct flame_layout *layout, const struct ordered *drawn, size_t drawn_nr,
		  const int64_t *totals, size_t nodes_nr)
{
	uint32_t *frame_of = xcalloc(nodes_nr, sizeof(*frame_of));
	int64_t next = 0;

	layout->v[0] = (struct flame_frame){ FRAME_TREE_ROOT, 0, 0, totals[FRAME_TREE_ROOT] };
	layout->nr = 1;
	for (size_t i = 0; i < drawn_nr; i++) {
		const struct flame_frame *parent = &layout->v[frame_of[drawn[i].parent]];
		struct flame_frame *frame = &layout->v[layout->nr];

		if (!i || drawn[i].parent != drawn[i - 1].parent)
			next = parent->start;
		*frame = (struct flame_frame){ drawn[i].node, parent->depth + 1, next,
					       totals[drawn[i].node] };
		next += frame->total;
		if (frame->depth > layout->depth)
			layout->depth = frame->depth;
		frame_of[drawn[i].node] = (uint32_t)layout->nr++;
	}
	free(frame_of);
}

void flame_layout_init(struct flame_layout *layout, const struct frame_tree *tree, int64_t least,
		       size_t max_frames)
{
	int64_t *totals = frame_tree_totals(tree);
	struct ordered *drawn;
	size_t drawn_nr, valued = 0;

	*layout = (struct flame_layout){ .least = least > 1 ? least : 1 };
	layout->least = raise_least(totals, tree->nodes_nr, layout->least, max_frames);
	drawn = order_drawn(tree, totals, layout->least, &drawn_nr);
	layout->v = xcalloc(drawn_nr + 1, sizeof(*layout->v));
	place(layout, drawn, drawn_nr, totals, tree->nodes_nr);
	for (size_t i = 1; i < tree->nodes_nr; i++)
		valued += totals[i] > 0;
	layout->narrow = valued - drawn_nr;
	free(drawn);
	free(totals);
}

void flame_layout_release(struct flame_layout *layout)
{
	free(layout->v);
	*layout = (struct flame_layout){ 0 };
}
