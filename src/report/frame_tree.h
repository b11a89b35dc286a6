/*
 * A tree of stacks by the names of their frames, with a value for each stack: the input of folded text and flame
 * graphs. A node is a stack, its parent the same stack without the leaf; stacks with equal names are one node.
 */
#ifndef REPORT_FRAME_TREE_H
#define REPORT_FRAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/account.h"
#include "report/frame_kind.h"
#include "util/hash_index.h"

#define FRAME_TREE_ROOT UINT32_C(0)

struct frame_name {
	char *text;
	uint32_t len; /* bytes of it */
	enum frame_kind kind;
};

struct frame_node {
	uint32_t parent; /* smaller than its own index */
	uint32_t name;
	int64_t self; /* the value of this stack, without the stacks that continue it */
};

struct frame_tree {
	struct frame_node *nodes; /* nodes[FRAME_TREE_ROOT] is not a frame, and has no name */
	size_t nodes_nr, nodes_alloc;
	struct frame_name *names;
	size_t names_nr, names_alloc;
	/* Appended nodes and names are added to the index only when a node or name is searched for. */
	struct hash_index node_index, name_index;
	int64_t total; /* of all nodes */
};

void frame_tree_init(struct frame_tree *tree);
void frame_tree_release(struct frame_tree *tree);

/* The id of a name, which is added if it is new. A NUL byte in it becomes '?'. */
uint32_t frame_tree_name(struct frame_tree *tree, const char *text, size_t len);

/* The same for a name that is known to be new and to have no NUL byte: faster, as the index is not used. */
uint32_t frame_tree_append_name(struct frame_tree *tree, const char *text, size_t len);

/* The stack in which `parent` calls `name`; it is added if it is new. */
uint32_t frame_tree_child(struct frame_tree *tree, uint32_t parent, uint32_t name);

/* The same for a stack that is known to be new. */
uint32_t frame_tree_append(struct frame_tree *tree, uint32_t parent, uint32_t name);

/* Add to the value of a node. False, with nothing added: the value is not above 0, or the total would overflow. */
bool frame_tree_add(struct frame_tree *tree, uint32_t node, int64_t value);

/* Move the names of a tree to one that has none; nodes of `to` may have their ids already. */
void frame_tree_take_names(struct frame_tree *to, struct frame_tree *from);

const char *frame_tree_text(const struct frame_tree *tree, uint32_t node);

/* The rank of each name, if names are sorted by their bytes; the caller frees the result. */
uint32_t *frame_tree_ranks(const struct frame_tree *tree);

/* The total of each node: its value and those of all stacks that continue it; the caller frees the result. */
int64_t *frame_tree_totals(const struct frame_tree *tree);

/*
 * Add all stacks of results that are grouped by stack, without values. Returns the node of each, by group.stack; the caller
 * frees it.
 */
uint32_t *frame_tree_nodes(struct frame_tree *tree, const struct results *results);

/* By node: its first callee and the next callee of its caller, in the order of nodes; FRAME_TREE_ROOT: there is none. */
struct frame_family {
	uint32_t child, sibling;
};

/* The caller frees the result. */
struct frame_family *frame_tree_families(const struct frame_tree *tree);

/*
 * Add the stacks of results that are grouped by stack, with their values of the metric; the root of a key, if any,
 * becomes the first frame. Names are those for people (results_function_name()): stacks whose names are equal so are one.
 * Frames get their kind from their modules. Negative values, which [not sampled] may have in
 * an estimate, are left out. Returns their sum as a positive number: the total of the tree is too high by it.
 */
int64_t frame_tree_add_results(struct frame_tree *tree, const struct results *results,
			       const struct metric *metric);

#endif
