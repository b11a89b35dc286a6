#include "report/folded.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static bool fits(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text == ';' || iscntrl((unsigned char)*text))
			return false;
	}
	return true;
}

/* A name as a line can carry it; an empty one would be no frame. */
static uint32_t clean_name(struct frame_tree *clean, const char *text)
{
	char *copy = xstrdup(*text ? text : "_");
	uint32_t name;

	for (char *s = copy; *s; s++) {
		if (*s == ';')
			*s = ':';
		else if (iscntrl((unsigned char)*s))
			*s = '_';
	}
	name = frame_tree_name(clean, copy, strlen(copy));
	free(copy);
	return name;
}

static void clean_tree(struct frame_tree *clean, const struct frame_tree *tree)
{
	uint32_t *names = xcalloc(tree->names_nr, sizeof(*names));
	uint32_t *nodes = xcalloc(tree->nodes_nr, sizeof(*nodes));

	frame_tree_init(clean);
	for (size_t i = 0; i < tree->names_nr; i++)
		names[i] = clean_name(clean, tree->names[i].text);
	for (size_t i = 0; i < tree->nodes_nr; i++) {
		const struct frame_node *node = &tree->nodes[i];

		if (i)
			nodes[i] = frame_tree_child(clean, nodes[node->parent], names[node->name]);
		frame_tree_add(clean, nodes[i], node->self);
	}
	free(names);
	free(nodes);
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

/* All nodes but the root, those of one parent together. */
static struct ordered *order_nodes(const struct frame_tree *tree)
{
	struct ordered *ordered = xcalloc(tree->nodes_nr, sizeof(*ordered));
	uint32_t *ranks = frame_tree_ranks(tree);

	for (size_t i = 1; i < tree->nodes_nr; i++)
		ordered[i - 1] = (struct ordered){ tree->nodes[i].parent,
						   ranks[tree->nodes[i].name], (uint32_t)i };
	if (tree->nodes_nr > 2)
		qsort(ordered, tree->nodes_nr - 1, sizeof(*ordered), compare_ordered);
	free(ranks);
	return ordered;
}

/* Where each parent's children begin; one more at the end. */
static size_t *find_children(const struct frame_tree *tree, const struct ordered *ordered)
{
	size_t *first = xcalloc(tree->nodes_nr + 1, sizeof(*first)), at = 0;

	for (size_t i = 0; i <= tree->nodes_nr; i++) {
		while (at < tree->nodes_nr - 1 && ordered[at].parent < i)
			at++;
		first[i] = at;
	}
	return first;
}

static void write_line(const struct strbuf *path, int64_t self, FILE *out)
{
	if (self <= 0)
		return;
	fwrite(path->buf, 1, path->len, out);
	fprintf(out, " %lld\n", (long long)self);
}

/* Depth first, with the way back in `next`: stacks may be too deep to recurse. */
static void write_nodes(const struct frame_tree *tree, const struct ordered *ordered, size_t *next,
			const size_t *first, FILE *out)
{
	struct strbuf path = STRBUF_INIT;
	uint32_t node = FRAME_TREE_ROOT;

	for (;;) {
		if (next[node] < first[node + 1]) {
			node = ordered[next[node]++].node;
			if (tree->nodes[node].parent != FRAME_TREE_ROOT)
				strbuf_addc(&path, ';');
			strbuf_adds(&path, frame_tree_text(tree, node));
			write_line(&path, tree->nodes[node].self, out);
			continue;
		}
		if (node == FRAME_TREE_ROOT)
			break;
		strbuf_set_len(&path, path.len - strlen(frame_tree_text(tree, node)));
		node = tree->nodes[node].parent;
		if (node != FRAME_TREE_ROOT)
			strbuf_set_len(&path, path.len - 1);
	}
	strbuf_release(&path);
}

static void write_clean(const struct frame_tree *tree, FILE *out)
{
	struct ordered *ordered = order_nodes(tree);
	size_t *first = find_children(tree, ordered);
	size_t *next = xcalloc(tree->nodes_nr, sizeof(*next));
	const struct strbuf empty = STRBUF_INIT;

	memcpy(next, first, tree->nodes_nr * sizeof(*next));
	write_line(&empty, tree->nodes[FRAME_TREE_ROOT].self, out);
	write_nodes(tree, ordered, next, first, out);
	free(next);
	free(first);
	free(ordered);
}

void folded_write(const struct frame_tree *tree, FILE *out)
{
	struct frame_tree clean;

	for (size_t i = 0; i < tree->names_nr; i++) {
		if (fits(tree->names[i].text))
			continue;
		clean_tree(&clean, tree);
		write_clean(&clean, out);
		frame_tree_release(&clean);
		return;
	}
	write_clean(tree, out);
}
