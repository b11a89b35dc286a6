#include "report/folded.h"

#include <ctype.h>
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

/* By node, in no order yet; to be freed. */
static struct family *find_families(const struct frame_tree *tree)
{
	struct family *families = xcalloc(tree->nodes_nr, sizeof(*families));

	for (size_t i = tree->nodes_nr - 1; i; i--) {
		uint32_t *child = &families[tree->nodes[i].parent].child;

		families[i].sibling = *child;
		*child = (uint32_t)i;
	}
	return families;
}

/* So many steps ahead. */
#define FETCHED 8

struct folded_walk {
	const struct frame_tree *tree; /* the caller's, or `clean` */
	struct frame_tree clean;
	struct family *families;
	uint32_t *ranks;  /* of names */
	struct ranked *v; /* children that are being sorted */
	size_t alloc;
	/* The next one; frames that it has with those above it, for the root 0. */
	uint32_t node, depth;
	bool done;
};

static bool all_fit(const struct frame_tree *tree)
{
	for (size_t i = 0; i < tree->names_nr; i++) {
		if (!fits(tree->names[i].text))
			return false;
	}
	return true;
}

struct folded_walk *folded_walk_new(const struct frame_tree *tree)
{
	struct folded_walk *walk = xcalloc(1, sizeof(*walk));

	walk->tree = tree;
	if (!all_fit(tree)) {
		clean_tree(&walk->clean, tree);
		walk->tree = &walk->clean;
	}
	walk->families = find_families(walk->tree);
	walk->ranks = frame_tree_ranks(walk->tree);
	return walk;
}

void folded_walk_free(struct folded_walk *walk)
{
	if (walk->tree == &walk->clean)
		frame_tree_release(&walk->clean);
	free(walk->families);
	free(walk->ranks);
	free(walk->v);
	free(walk);
}

/*
 * The first child, when the walk comes by: they are sorted then. Few nodes have more than one: those of the others are
 * not looked at, far from each other as names are.
 */
static uint32_t first_child(struct folded_walk *walk, uint32_t parent)
{
	uint32_t *link = &walk->families[parent].child;
	size_t nr = 0;

	if (!*link || !walk->families[*link].sibling)
		return *link;
	for (uint32_t at = *link; at; at = walk->families[at].sibling) {
		ARRAY_GROW(walk->v, nr + 1, walk->alloc);
		walk->v[nr++] = (struct ranked){ walk->ranks[walk->tree->nodes[at].name], at };
	}
	qsort(walk->v, nr, sizeof(*walk->v), compare_ranks);
	for (size_t i = 0; i < nr; i++) {
		*link = walk->v[i].node;
		link = &walk->families[*link].sibling;
	}
	*link = FRAME_TREE_ROOT;
	return walk->v[0].node;
}

/* Depth first; stacks may be too deep to recurse. */
static void go_on(struct folded_walk *walk)
{
	uint32_t node = walk->node, next = first_child(walk, node);

	walk->depth++;
	while (!next && node != FRAME_TREE_ROOT) {
		walk->depth--;
		next = walk->families[node].sibling;
		node = walk->tree->nodes[node].parent;
	}
	walk->done = !next;
	walk->node = next;
	/* By the time that what it calls was gone through it is there. */
	__builtin_prefetch(&walk->tree->nodes[walk->families[next].sibling]);
	__builtin_prefetch(&walk->families[walk->families[next].sibling]);
}

bool folded_walk_next(struct folded_walk *walk, struct folded_steps *steps)
{
	for (steps->nr = 0; steps->nr < FOLDED_STEPS && !walk->done; go_on(walk)) {
		const struct frame_node *node = &walk->tree->nodes[walk->node];

		steps->v[steps->nr++] = (struct folded_step){ walk->depth, node->name, node->self };
	}
	return steps->nr;
}

void folded_line_release(struct folded_line *line)
{
	strbuf_release(&line->text);
	free(line->ends);
}

static void add_frame(struct folded_line *line, const struct frame_name *name, uint32_t depth)
{
	char *end;

	ARRAY_GROW(line->ends, (size_t)depth + 1, line->ends_alloc);
	line->ends[0] = 0;
	line->text.len = line->ends[depth - 1];
	strbuf_grow(&line->text, (size_t)name->len + 1);
	end = line->text.buf + line->text.len;
	if (depth > 1)
		*end++ = ';';
	memcpy(end, name->text, name->len);
	line->ends[depth] = (size_t)(end - line->text.buf) + name->len;
	strbuf_set_len(&line->text, line->ends[depth]);
}

/* The stack stays; the value is behind its end. */
static void write_line(struct folded_line *line, int64_t value, FILE *out)
{
	size_t len = line->text.len;
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\n';
	for (; value; value /= 10)
		*--at = (char)('0' + value % 10);
	*--at = ' ';
	strbuf_add(&line->text, at, (size_t)(digits + sizeof(digits) - at));
	fwrite(line->text.buf, 1, line->text.len, out);
	strbuf_set_len(&line->text, len);
}

/* Names are anywhere in memory: have that of a later step fetched, and the text of one that is nearer. */
static void fetch_names(const struct folded_walk *walk, const struct folded_steps *steps, size_t i)
{
	const struct frame_name *names = walk->tree->names;

	if (i && i + 2 * FETCHED < steps->nr) {
		__builtin_prefetch(&names[steps->v[i + 2 * FETCHED].name]);
		__builtin_prefetch(names[steps->v[i + FETCHED].name].text);
	}
}

void folded_write_steps(const struct folded_walk *walk, const struct folded_steps *steps,
			struct folded_line *line, FILE *out)
{
	for (size_t i = 0; i < steps->nr; i++) {
		const struct folded_step *step = &steps->v[i];

		fetch_names(walk, steps, i);
		if (step->depth)
			add_frame(line, &walk->tree->names[step->name], step->depth);
		if (step->self > 0)
			write_line(line, step->self, out);
	}
}

void folded_write(const struct frame_tree *tree, FILE *out)
{
	struct folded_walk *walk = folded_walk_new(tree);
	struct folded_steps *steps = xcalloc(1, sizeof(*steps));
	struct folded_line line = FOLDED_LINE_INIT;

	while (folded_walk_next(walk, steps))
		folded_write_steps(walk, steps, &line, out);
	folded_line_release(&line);
	free(steps);
	folded_walk_free(walk);
}
