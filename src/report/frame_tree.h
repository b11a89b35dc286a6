/*
 * Stacks by the names of their frames, merged from the root: what folded text and flame graphs are made of.
 * A node is a stack; stacks that are equal by name are one node.
 */
#ifndef REPORT_FRAME_TREE_H
#define REPORT_FRAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_TREE_ROOT UINT32_C(0)

/* What code a frame is of, for its colour. */
enum frame_kind {
	FRAME_UNTOLD, /* to be guessed from its name: frame_kind_guess() */
	FRAME_RUST,
	FRAME_LLVM,
	FRAME_KERNEL,
	FRAME_ALLOCATOR,
	FRAME_NATIVE,
	FRAME_UNNAMED, /* module!0x1234 */
	FRAME_PROCESS, /* stands for a process or what it works on */
	FRAME_SPECIAL, /* [truncated], [not sampled] */
	FRAME_KINDS,
};

struct frame_name {
	char *text;
	uint32_t len; /* bytes of it */
	enum frame_kind kind;
};

struct frame_node {
	uint32_t parent; /* smaller than its own index */
	uint32_t name;
	int64_t self; /* the value of this very stack, without those that go on from it */
};

struct frame_tree {
	struct frame_node *nodes; /* nodes[FRAME_TREE_ROOT] stands for no frame, and has no name */
	size_t nodes_nr, nodes_alloc;
	struct frame_name *names;
	size_t names_nr, names_alloc;
	uint32_t *node_index, *name_index; /* open addressing; powers of two */
	size_t node_index_alloc, name_index_alloc;
	size_t indexed_nr;       /* nodes that are in the index: those behind them are not yet */
	size_t indexed_names_nr; /* likewise */
	int64_t total;           /* of all nodes */
};

void frame_tree_init(struct frame_tree *tree);
void frame_tree_release(struct frame_tree *tree);

/* The id of a name, added where it is new. A NUL byte in it is a '?'. */
uint32_t frame_tree_name(struct frame_tree *tree, const char *text, size_t len);

/* The same where the caller knows that it is new, and has no NUL byte: without the work and memory of finding it again. */
uint32_t frame_tree_append_name(struct frame_tree *tree, const char *text, size_t len);

/* The stack of `parent` calling `name`, added where it is new. */
uint32_t frame_tree_child(struct frame_tree *tree, uint32_t parent, uint32_t name);

/* The same for a stack that is known to be new. */
uint32_t frame_tree_append(struct frame_tree *tree, uint32_t parent, uint32_t name);

/* False, and nothing added: it is not above 0, or the total would be too large for a number. */
bool frame_tree_add(struct frame_tree *tree, uint32_t node, int64_t value);

const char *frame_tree_text(const struct frame_tree *tree, uint32_t node);

/* The places of all names in the order of their bytes; to be freed. */
uint32_t *frame_tree_ranks(const struct frame_tree *tree);

/* Each node with those that go on from it; to be freed. */
int64_t *frame_tree_totals(const struct frame_tree *tree);

#endif
