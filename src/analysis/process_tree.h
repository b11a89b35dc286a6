/*
 * Who started whom: the processes of a build as a tree, written down depth first.
 */
#ifndef ANALYSIS_PROCESS_TREE_H
#define ANALYSIS_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/process.h"

struct process_node {
	const struct process *process;
	size_t index; /* in the list */
	size_t depth; /* 0: its parent is not among the processes */
	bool last;    /* of its parent's children */
	bool matched; /* false: here only because a process below it is */
};

/* Each node before its children. */
struct process_tree {
	struct process_node *v;
	size_t nr;
};

/*
 * Build the tree of `list` (sorted by start). The parent is the row with the pid that was alive when the
 * child started: pids come again. `matched` says which rows are wanted (NULL: all); those above them stay
 * too. Children stand in the list's order, or in that of `order`, the list's indices (NULL).
 */
void process_tree_build(const struct process_list *list, const bool *matched, const size_t *order,
			struct process_tree *tree);
void process_tree_release(struct process_tree *tree);

#endif
