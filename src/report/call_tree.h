/*
 * A call tree that a person reads: who called whom, and what it cost, the most expensive first.
 *
 * The tree is made of stacks with values. Plumbing is left out: frames that say nothing of what a compiler does, see
 * call_tree_plumbing. What such a frame has itself counts for its caller. Frames of rustc's query system become one row,
 * "query typeck". Names are short (short_name.h), and rows of one name below one caller are one row.
 *
 * A function that calls itself, directly or through a few others, has one row, with what all its calls have and call.
 *
 * Callees below a share of the whole are one row for each crate, module or namespace that is large enough (namespaces.h),
 * and one for all others, so that sums stay what they are: the total of a row is its own value and the totals of the rows
 * below it.
 */
#ifndef REPORT_CALL_TREE_H
#define REPORT_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/call_maker.h"
#include "report/frame_tree.h"

struct call_tree_row {
	uint32_t depth;  /* number of callers, without those that are left out */
	uint32_t caller; /* the row that it is below, counted from 1; 0: none */
	/*
	 * Number of callers that have several rows below them, without `minor` ones: a chain is not indented, but
	 * `chained`.
	 */
	uint32_t indent;
	bool chained; /* its caller is the row directly above, and calls nothing else */
	int64_t total, self;
	/* "rustc_parse::parse_expr", "query typeck"; NULL: `others` callees that have too small a share. */
	const char *name;
	size_t others;
	const char *group; /* of the others: "rustc_middle::ty", "libLLVM.so.19.1"; NULL: none */
	bool minor;        /* the others have too small a share together, and are not at the root */
	int64_t below;     /* of the row's `minor` others */
	uint32_t calls; /* the most calls of the function on one stack: above 1 it calls itself */
};

struct call_tree {
	struct call_tree_row *rows; /* callers before their callees */
	size_t nr, alloc;
	int64_t total;                  /* of all rows without caller */
	bool *focus_used, *ignore_used; /* by pattern: whether a function matches it */
	struct frame_tree names;        /* of the rows and groups */
};

/* Make the rows; `stacks` is borrowed, only until the end of the call. */
void call_tree_init(struct call_tree *tree, const struct call_tree_stacks *stacks,
		    const struct call_tree_options *options);
void call_tree_release(struct call_tree *tree);

#endif
