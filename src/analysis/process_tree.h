/*
 * The tree of the processes of a build, parents and children, as a list in depth-first order.
 */
#ifndef ANALYSIS_PROCESS_TREE_H
#define ANALYSIS_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"

struct process_node {
	const struct process *process;
	size_t index; /* in the list */
	size_t depth; /* 0: its parent is not in the list of processes */
	bool last;    /* it is the last child of its parent */
	bool matched; /* false: it is included only because a descendant matches */
	size_t hidden; /* number of descendants that match but were removed by process_tree_prune() */
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

/*
 * Keep the first `depth` generations (0: all), and of those what ran for at least `duration_ns` or started such a process.
 * A process whose start or end is not known counts as running long. The order is kept.
 */
void process_tree_prune(struct process_tree *tree, size_t depth, int64_t duration_ns);

#endif
