#include "report/frame_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/fnv.h"

#define FREE        UINT32_MAX
#define FIRST_ALLOC 1024

void frame_tree_init(struct frame_tree *tree)
{
	*tree = (struct frame_tree){ 0 };
	ARRAY_GROW(tree->nodes, FIRST_ALLOC, tree->nodes_alloc);
	tree->nodes[FRAME_TREE_ROOT] = (struct frame_node){ FRAME_TREE_ROOT, FREE, 0 };
	tree->nodes_nr = tree->indexed_nr = 1;
}

void frame_tree_release(struct frame_tree *tree)
{
	for (size_t i = 0; i < tree->names_nr; i++)
		free(tree->names[i].text);
	free(tree->names);
	free(tree->nodes);
	free(tree->node_index);
	free(tree->name_index);
	*tree = (struct frame_tree){ 0 };
}

/* The finish of MurmurHash3 (public domain, Austin Appleby): every bit depends on every bit. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static uint64_t hash_text(const char *text, size_t len)
{
	return mix(fnv_add(FNV_FIRST, text, len));
}

static uint64_t hash_node(uint32_t parent, uint32_t name)
{
	return mix((uint64_t)parent << 32 | name);
}

/* An index of twice the room, empty. */
static uint32_t *new_index(uint32_t *old, size_t *alloc)
{
	uint32_t *index;

	free(old);
	*alloc = *alloc ? *alloc * 2 : FIRST_ALLOC;
	index = xreallocarray(NULL, *alloc, sizeof(*index));
	memset(index, 0xff, *alloc * sizeof(*index));
	return index;
}

static void put(uint32_t *index, size_t alloc, uint64_t hash, uint32_t id)
{
	size_t at = hash & (alloc - 1);

	while (index[at] != FREE)
		at = (at + 1) & (alloc - 1);
	index[at] = id;
}

/* Put in the names that are not yet, with room for one more. */
static void index_names(struct frame_tree *tree)
{
	if (tree->names_nr * 2 >= tree->name_index_alloc) {
		do
			tree->name_index = new_index(tree->name_index, &tree->name_index_alloc);
		while (tree->names_nr * 2 >= tree->name_index_alloc);
		tree->indexed_names_nr = 0;
	}
	for (; tree->indexed_names_nr < tree->names_nr; tree->indexed_names_nr++) {
		const struct frame_name *name = &tree->names[tree->indexed_names_nr];

		put(tree->name_index, tree->name_index_alloc, hash_text(name->text, name->len),
		    (uint32_t)tree->indexed_names_nr);
	}
}

/* Put in the nodes that are not yet, with room for one more. */
static void index_nodes(struct frame_tree *tree)
{
	if (tree->nodes_nr * 2 >= tree->node_index_alloc) {
		do
			tree->node_index = new_index(tree->node_index, &tree->node_index_alloc);
		while (tree->nodes_nr * 2 >= tree->node_index_alloc);
		tree->indexed_nr = 1;
	}
	for (; tree->indexed_nr < tree->nodes_nr; tree->indexed_nr++) {
		const struct frame_node *node = &tree->nodes[tree->indexed_nr];

		put(tree->node_index, tree->node_index_alloc, hash_node(node->parent, node->name),
		    (uint32_t)tree->indexed_nr);
	}
}

uint32_t frame_tree_append_name(struct frame_tree *tree, const char *text, size_t len)
{
	assert(tree->names_nr < FREE);
	ARRAY_GROW(tree->names, tree->names_nr + 1, tree->names_alloc);
	tree->names[tree->names_nr] =
		(struct frame_name){ xstrndup(text, len), (uint32_t)len, FRAME_UNTOLD };
	return (uint32_t)tree->names_nr++;
}

static uint32_t intern_name(struct frame_tree *tree, const char *text, size_t len)
{
	uint64_t hash = hash_text(text, len);
	size_t at;

	index_names(tree);
	at = hash & (tree->name_index_alloc - 1);
	for (; tree->name_index[at] != FREE; at = (at + 1) & (tree->name_index_alloc - 1)) {
		const char *known = tree->names[tree->name_index[at]].text;

		if (!strncmp(known, text, len) && !known[len])
			return tree->name_index[at];
	}
	tree->name_index[at] = (uint32_t)tree->names_nr;
	tree->indexed_names_nr++;
	return frame_tree_append_name(tree, text, len);
}

uint32_t frame_tree_name(struct frame_tree *tree, const char *text, size_t len)
{
	uint32_t id;
	char *copy;

	if (!memchr(text, '\0', len))
		return intern_name(tree, text, len);
	copy = xmalloc(len);
	for (size_t i = 0; i < len; i++)
		copy[i] = text[i] ? text[i] : '?';
	id = intern_name(tree, copy, len);
	free(copy);
	return id;
}

uint32_t frame_tree_append(struct frame_tree *tree, uint32_t parent, uint32_t name)
{
	assert(tree->nodes_nr < FREE);
	ARRAY_GROW(tree->nodes, tree->nodes_nr + 1, tree->nodes_alloc);
	tree->nodes[tree->nodes_nr] = (struct frame_node){ parent, name, 0 };
	return (uint32_t)tree->nodes_nr++;
}

uint32_t frame_tree_child(struct frame_tree *tree, uint32_t parent, uint32_t name)
{
	size_t at;

	index_nodes(tree);
	at = hash_node(parent, name) & (tree->node_index_alloc - 1);
	for (; tree->node_index[at] != FREE; at = (at + 1) & (tree->node_index_alloc - 1)) {
		const struct frame_node *node = &tree->nodes[tree->node_index[at]];

		if (node->parent == parent && node->name == name)
			return tree->node_index[at];
	}
	tree->node_index[at] = (uint32_t)tree->nodes_nr;
	tree->indexed_nr++;
	return frame_tree_append(tree, parent, name);
}

bool frame_tree_add(struct frame_tree *tree, uint32_t node, int64_t value)
{
	if (value <= 0 || value > INT64_MAX - tree->total)
		return false;
	tree->nodes[node].self += value;
	tree->total += value;
	return true;
}

const char *frame_tree_text(const struct frame_tree *tree, uint32_t node)
{
	return tree->names[tree->nodes[node].name].text;
}

struct ranked {
	uint64_t number; /* eight bytes of the text, the first the highest; 0 behind its end */
	const char *rest;
	uint32_t name;
};

/* Fewer are sorted by their texts. */
#define FEW 64

/* So are those that are equal for so many bytes, which are not many, and may be equal for a million. */
#define NUMBERED 64

static int compare_rests(const void *a, const void *b)
{
	return strcmp(((const struct ranked *)a)->rest, ((const struct ranked *)b)->rest);
}

static void take_number(struct ranked *ranked)
{
	ranked->number = 0;
	for (int shift = 56; shift >= 0 && *ranked->rest; shift -= 8)
		ranked->number |= (uint64_t)(unsigned char)*ranked->rest++ << shift;
}

/* By one byte of the numbers, from `from` to `to`; false: it is the same in all, and nothing was done. */
static bool sort_byte(const struct ranked *from, size_t nr, int shift, struct ranked *to)
{
	size_t starts[256] = { 0 }, start = 0;

	for (size_t i = 0; i < nr; i++)
		starts[from[i].number >> shift & 255]++;
	if (starts[from->number >> shift & 255] == nr)
		return false;
	for (size_t i = 0; i < 256; i++) {
		size_t of_byte = starts[i];

		starts[i] = start;
		start += of_byte;
	}
	for (size_t i = 0; i < nr; i++)
		to[starts[from[i].number >> shift & 255]++] = from[i];
	return true;
}

static void sort_numbers(struct ranked *v, size_t nr, struct ranked *room)
{
	struct ranked *from = v, *to = room, *other;

	for (int shift = 0; shift < 64; shift += 8) {
		if (!sort_byte(from, nr, shift, to))
			continue;
		other = from;
		from = to;
		to = other;
	}
	if (from != v)
		memcpy(v, from, nr * sizeof(*v));
}

/* Their texts are the same for `same` bytes. What many names of one library begin with is left behind at once. */
static void sort_texts(struct ranked *v, size_t nr, size_t same, struct ranked *room)
{
	if (nr < FEW || same >= NUMBERED) {
		qsort(v, nr, sizeof(*v), compare_rests);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		take_number(&v[i]);
	sort_numbers(v, nr, room);
	for (size_t i = 0, equal; i < nr; i += equal) {
		for (equal = 1; i + equal < nr && v[i + equal].number == v[i].number;)
			equal++;
		if (equal > 1)
			sort_texts(&v[i], equal, same + 8, room);
	}
}

uint32_t *frame_tree_ranks(const struct frame_tree *tree)
{
	struct ranked *ranked = xcalloc(tree->names_nr + 1, sizeof(*ranked));
	struct ranked *room = xcalloc(tree->names_nr + 1, sizeof(*room));
	uint32_t *ranks = xcalloc(tree->names_nr + 1, sizeof(*ranks));

	for (size_t i = 0; i < tree->names_nr; i++)
		ranked[i] = (struct ranked){ 0, tree->names[i].text, (uint32_t)i };
	sort_texts(ranked, tree->names_nr, 0, room);
	for (size_t i = 0; i < tree->names_nr; i++)
		ranks[ranked[i].name] = (uint32_t)i;
	free(ranked);
	free(room);
	return ranks;
}

int64_t *frame_tree_totals(const struct frame_tree *tree)
{
	int64_t *totals = xcalloc(tree->nodes_nr, sizeof(*totals));

	for (size_t i = tree->nodes_nr - 1; i; i--) {
		totals[i] += tree->nodes[i].self;
		totals[tree->nodes[i].parent] += totals[i];
	}
	totals[FRAME_TREE_ROOT] += tree->nodes[FRAME_TREE_ROOT].self;
	return totals;
}
