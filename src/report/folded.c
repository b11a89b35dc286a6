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

/* Each node's first child and next sibling, by the names' bytes; FRAME_TREE_ROOT: there is none. */
struct family {
	uint32_t *child, *sibling;
};

/* All nodes but the root, by their names' bytes. */
static uint32_t *sort_by_name(const struct frame_tree *tree)
{
	uint32_t *ranks = frame_tree_ranks(tree);
	uint32_t *sorted = xcalloc(tree->nodes_nr, sizeof(*sorted));
	size_t *first = xcalloc(tree->names_nr + 1, sizeof(*first));

	for (size_t i = 1; i < tree->nodes_nr; i++)
		first[ranks[tree->nodes[i].name] + 1]++;
	for (size_t i = 0; i < tree->names_nr; i++)
		first[i + 1] += first[i];
	for (size_t i = 1; i < tree->nodes_nr; i++)
		sorted[first[ranks[tree->nodes[i].name]]++] = (uint32_t)i;
	free(first);
	free(ranks);
	return sorted;
}

static void find_family(const struct frame_tree *tree, struct family *family)
{
	uint32_t *sorted = sort_by_name(tree);

	family->child = xcalloc(tree->nodes_nr, sizeof(*family->child));
	family->sibling = xcalloc(tree->nodes_nr, sizeof(*family->sibling));
	for (size_t i = tree->nodes_nr - 1; i-- > 0;) {
		uint32_t node = sorted[i], parent = tree->nodes[node].parent;

		family->sibling[node] = family->child[parent];
		family->child[parent] = node;
	}
	free(sorted);
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
static void write_nodes(const struct frame_tree *tree, const struct family *family, FILE *out)
{
	struct strbuf path = STRBUF_INIT;
	uint32_t node = FRAME_TREE_ROOT;

	for (;;) {
		uint32_t next = family->child[node];

		while (!next && node != FRAME_TREE_ROOT) {
			leave_node(tree, node, &path);
			next = family->sibling[node];
			node = tree->nodes[node].parent;
		}
		if (!next)
			break;
		node = next;
		write_node(tree, node, &path, out);
	}
	strbuf_release(&path);
}

static void write_clean(const struct frame_tree *tree, FILE *out)
{
	const struct strbuf empty = STRBUF_INIT;
	struct family family;

	find_family(tree, &family);
	write_line(&empty, tree->nodes[FRAME_TREE_ROOT].self, out);
	write_nodes(tree, &family, out);
	free(family.child);
	free(family.sibling);
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
