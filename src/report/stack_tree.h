/*
 * From results by stack to a tree of frames: what is exported as folded text or drawn as a flame graph.
 */
#ifndef REPORT_STACK_TREE_H
#define REPORT_STACK_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_account.h"
#include "analysis/ledger.h"
#include "report/frame_tree.h"
#include "report/group_columns.h"

/* What of a stack counts. */
enum stack_metric {
	METRIC_CPU,         /* time of the samples */
	METRIC_SIZE,        /* committed in the range */
	METRIC_PEAK,        /* held at the peak of the whole build */
	METRIC_OUTSTANDING, /* held at the moment asked for */
};

/* The words of --metric, in the enum's order; ends with NULL. */
extern const char *const stack_metric_names[];

/*
 * Add the stacks of a grouping BY_STACK to `tree`; a key that has a text has it as its first frame. Frames get
 * their kind from their modules. What is not above 0 is left out: of an estimate [not sampled] may be below, and
 * by how much the tree has more than there was is what of a ledger is given back.
 */
void stack_tree_add_cpu(struct frame_tree *tree, const struct group_names *names,
			const struct cpu_entry *entries, size_t nr);
int64_t stack_tree_add_ledger(struct frame_tree *tree, const struct group_names *names,
			      const struct ledger *ledger, enum stack_metric metric);

#endif
