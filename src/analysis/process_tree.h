/*
 * The tree of the processes of a build, parents and children, as a list in depth-first order.
 */
#ifndef ANALYSIS_PROCESS_TREE_H
#define ANALYSIS_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/process.h"

struct process_node {
	const struct process *process;
	size_t index; /* in the list */
	size_t depth; /* 0: its parent is not in the list of processes */
	bool last;    /* it is the last child of its parent */
	bool matched; /* false: it is included only because a descendant matches */
};

/* Each node before its children. */
struct process_tree {
	struct process_node *v;
	size_t nr;
};

/*
 * Build the tree of `list`, which is sorted by start. Pids are reused: the parent is the process that had the pid
 * when the child started. `matched` selects processes (NULL: all); their ancestors are included too. Children are in
 * the order of the list, or in that of `order`, indices into the list (may be NULL).
 */
void process_tree_build(const struct process_list *list, const bool *matched, const size_t *order,
			struct process_tree *tree);
void process_tree_release(struct process_tree *tree);

#endif
