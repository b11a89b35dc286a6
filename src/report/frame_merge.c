#include "report/frame_merge.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static uint64_t digits_of(int64_t value)
{
	uint64_t nr = 1;

	for (; value >= 10; value /= 10)
		nr++;
	return nr;
}

/* A line, from the length of its stack: with a blank, the value and an end. */
static uint64_t line_length(uint64_t stack, int64_t value)
{
	return value > 0 ? stack + digits_of(value) + 2 : 0;
}

/* The sum of what is merged below a node: the totals of its children that are below `least`. */
static int64_t *find_merged(const struct frame_tree *tree, const int64_t *totals, int64_t least)
{
	int64_t *merged = xcalloc(tree->nodes_nr, sizeof(*merged));

	for (size_t i = FRAME_TREE_ROOT + 1; i < tree->nodes_nr; i++)
		if (totals[i] < least)
			merged[tree->nodes[i].parent] += totals[i];
	return merged;
}

uint64_t frame_merge_text_length(const struct frame_tree *tree, int64_t least,
				 uint32_t frame_length)
{
	int64_t *totals = frame_tree_totals(tree), *merged = find_merged(tree, totals, least);
	/* Of stacks, with a ';' after each frame but the last. */
	uint64_t *lengths = xcalloc(tree->nodes_nr, sizeof(*lengths));
	uint64_t sum = line_length(strlen(FRAME_MERGED), merged[FRAME_TREE_ROOT]) +
		       line_length(0, tree->nodes[FRAME_TREE_ROOT].self);

	for (size_t i = FRAME_TREE_ROOT + 1; i < tree->nodes_nr; i++) {
		const struct frame_node *node = &tree->nodes[i];

		if (totals[i] < least)
			continue;
		lengths[i] = lengths[node->parent] + (node->parent != FRAME_TREE_ROOT) +
			     (frame_length ? frame_length : tree->names[node->name].len);
		sum += line_length(lengths[i], node->self) +
		       line_length(lengths[i] + 1 + strlen(FRAME_MERGED), merged[i]);
	}
	free(lengths);
	free(merged);
	free(totals);
	return sum;
}

uint64_t frame_merge(struct frame_tree *tree, int64_t least)
{
	int64_t *totals = frame_tree_totals(tree), *merged = find_merged(tree, totals, least);
	uint32_t *nodes = xcalloc(tree->nodes_nr, sizeof(*nodes));
	size_t names_nr = tree->names_nr;
	uint32_t other = frame_tree_name(tree, FRAME_MERGED, strlen(FRAME_MERGED));
	/* Folded text may have such frames already. */
	uint32_t (*add)(struct frame_tree *, uint32_t, uint32_t) =
		tree->names_nr == names_nr ? frame_tree_child : frame_tree_append;
	struct frame_tree left;
	uint64_t gone = 0;

	frame_tree_init(&left);
	for (size_t i = FRAME_TREE_ROOT; i < tree->nodes_nr; i++) {
		const struct frame_node *node = &tree->nodes[i];

		if (i != FRAME_TREE_ROOT && totals[i] < least) {
			gone += node->self > 0;
			continue;
		}
		if (i != FRAME_TREE_ROOT)
			nodes[i] = add(&left, nodes[node->parent], node->name);
		frame_tree_add(&left, nodes[i], node->self);
		if (merged[i] > 0)
			frame_tree_add(&left, add(&left, nodes[i], other), merged[i]);
	}
	frame_tree_take_names(&left, tree);
	frame_tree_release(tree);
	*tree = left;
	free(nodes);
	free(merged);
	free(totals);
	return gone;
}

int64_t frame_merge_least(int64_t total, double share)
{
	double least = (double)total * share / 100;

	if (!(share > 0))
		return 0;
	return least < 1 ? 1 : (int64_t)least;
}
