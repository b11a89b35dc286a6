/*
 * The first half of a call tree (call_tree.h): from stacks to the tree of all rows, callers above their callees, with what
 * is left out and what calls itself.
 */
#ifndef REPORT_CALL_MAKER_H
#define REPORT_CALL_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "report/frame_tree.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct call_tree_options {
	bool inverted; /* callers below their callees: who called it */
	bool full_names;
	bool plumbing;    /* is shown */
	double min_share; /* of the whole, in percent; callees below it become one row */
	/* Patterns of functions, by their short or full names. */
	const struct strvec *focus; /* only stacks through one of them, from there on; empty: all */
	const struct strvec *ignore; /* frames to leave out */
};

/* Patterns of the functions that are left out, by their full names; ends with NULL. */
extern const char *const call_tree_plumbing[];

/*
 * Append the name by which rows, --focus and --ignore know a function: "query typeck", or its short name. Returns whether
 * it is a query, which there are none of where `plumbing` is shown.
 */
bool call_tree_name(struct strbuf *sb, const char *name, bool plumbing);

/* A frame has at most so many functions. */
#define CALL_TREE_LEVELS 255

/*
 * Stacks with values, which are by node, with `frames_nr` different frames. Values that are not above 0 are left out. It is
 * fast if stacks are depth first.
 */
struct call_tree_stacks {
	const struct stack_node *nodes;
	size_t nr, frames_nr;
	const int64_t *values;
	size_t names_nr;
	/* The names of the functions of a frame, the outermost first, as numbers; returns how many, at least 1. */
	size_t (*levels)(const void *data, uint32_t frame, uint32_t names[CALL_TREE_LEVELS]);
	const char *(*name)(const void *data, uint32_t name);
	const char *(*module)(const void *data, uint32_t name); /* that has it; NULL: unknown */
	const void *data;
	int threads; /* 2: a second thread may ask for levels */
};

struct call_maker {
	/* Set by the caller, all borrowed. */
	const struct call_tree_stacks *stacks;
	const struct call_tree_options *options;
	bool *focus_used, *ignore_used; /* by pattern: set where a function matches it */
	struct frame_tree *tree;        /* what is made */

	struct call_verdict *verdicts; /* by name of a function */
	uint32_t *calls;               /* by row: the most calls of the function on one stack */
	size_t calls_alloc;
	uint32_t *origins; /* by name in the tree: the first function that is shown so, plus one */
	size_t origins_alloc;
};

/*
 * Make the tree of rows. With a focus only stacks through it count. The tree begins at the focus, or, if it is to be
 * inverted, all that such a stack has is of the row where the focus begins. The stacks say where: in the tree a function
 * that calls itself has one row, and functions whose names are equal share rows.
 */
void call_maker_make_plain(struct call_maker *maker);

/* On a stack the function of a row has so many calls. */
void call_maker_note_calls(struct call_maker *maker, uint32_t row, uint32_t calls);

void call_maker_release(struct call_maker *maker);

#endif
