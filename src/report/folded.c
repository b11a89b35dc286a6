#include "report/folded.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

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

/* A node's first child and its next sibling, by the names' bytes; FRAME_TREE_ROOT: there is none. */
struct family {
	uint32_t child, sibling;
};

struct ranked {
	uint32_t rank, node;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

struct sorter {
	const struct frame_tree *tree;
	const uint32_t *ranks;
	struct family *families;
	struct ranked *v;
	size_t nr, alloc;
};

/* Few nodes have more than one child: those of the others are not looked at, far from each other as names are. */
static void sort_children(struct sorter *sorter, uint32_t parent)
{
	uint32_t *link = &sorter->families[parent].child;

	sorter->nr = 0;
	for (uint32_t at = *link; at; at = sorter->families[at].sibling) {
		ARRAY_GROW(sorter->v, sorter->nr + 1, sorter->alloc);
		sorter->v[sorter->nr++] =
			(struct ranked){ sorter->ranks[sorter->tree->nodes[at].name], at };
	}
	qsort(sorter->v, sorter->nr, sizeof(*sorter->v), compare_ranks);
	for (size_t i = 0; i < sorter->nr; i++) {
		*link = sorter->v[i].node;
		link = &sorter->families[*link].sibling;
	}
	*link = FRAME_TREE_ROOT;
}

/* By node; to be freed. */
static struct family *find_families(const struct frame_tree *tree)
{
	struct family *families = xcalloc(tree->nodes_nr, sizeof(*families));
	uint32_t *ranks = frame_tree_ranks(tree);
	struct sorter sorter = { tree, ranks, families, NULL, 0, 0 };

	for (size_t i = tree->nodes_nr - 1; i; i--) {
		uint32_t *child = &families[tree->nodes[i].parent].child;

		families[i].sibling = *child;
		*child = (uint32_t)i;
	}
	for (size_t i = 0; i < tree->nodes_nr; i++) {
		uint32_t child = families[i].child;

		if (child && families[child].sibling)
			sort_children(&sorter, (uint32_t)i);
	}
	free(sorter.v);
	free(ranks);
	return families;
}

static void write_line(const struct strbuf *path, int64_t self, FILE *out)
{
	if (self <= 0)
		return;
	fwrite(path->buf, 1, path->len, out);
	fprintf(out, " %lld\n", (long long)self);
}

static void write_node(const struct frame_tree *tree, uint32_t node, struct strbuf *path, FILE *out)
{
	const struct frame_name *name = &tree->names[tree->nodes[node].name];

	if (tree->nodes[node].parent != FRAME_TREE_ROOT)
		strbuf_addc(path, ';');
	strbuf_add(path, name->text, name->len);
	write_line(path, tree->nodes[node].self, out);
}

static void leave_node(const struct frame_tree *tree, uint32_t node, struct strbuf *path)
{
	size_t nr = tree->names[tree->nodes[node].name].len;

	if (tree->nodes[node].parent != FRAME_TREE_ROOT)
		nr++;
	strbuf_set_len(path, path->len - nr);
}

/* Depth first; stacks may be too deep to recurse. */
static void write_nodes(const struct frame_tree *tree, const struct family *families, FILE *out)
{
	struct strbuf path = STRBUF_INIT;
	uint32_t node = FRAME_TREE_ROOT;

	for (;;) {
		uint32_t next = families[node].child;

		while (!next && node != FRAME_TREE_ROOT) {
			leave_node(tree, node, &path);
			next = families[node].sibling;
			node = tree->nodes[node].parent;
		}
		if (!next)
			break;
		node = next;
		/* Where the text of what it calls is made, there is time to fetch it. */
		__builtin_prefetch(&tree->nodes[families[node].sibling]);
		__builtin_prefetch(&families[families[node].sibling]);
		write_node(tree, node, &path, out);
	}
	strbuf_release(&path);
}

static void write_clean(const struct frame_tree *tree, FILE *out)
{
	const struct strbuf empty = STRBUF_INIT;
	struct family *families = find_families(tree);

	write_line(&empty, tree->nodes[FRAME_TREE_ROOT].self, out);
	write_nodes(tree, families, out);
	free(families);
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
