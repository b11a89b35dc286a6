/*
 * Visits stacks one after the other, each with its callers. What a stack has in common with the one before it is not left
 * and entered again: stacks that are depth first are entered once each.
 */
#ifndef MODEL_STACK_WALK_H
#define MODEL_STACK_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"

/* Called with a stack whose callers were entered before it, and are left after it. */
typedef void stack_walk_fn(void *data, uint32_t stack);

struct stack_walk {
	/* Set by the caller; the nodes are borrowed. */
	const struct stack_node *nodes;
	stack_walk_fn *enter, *leave;
	void *data;

	/* Private. */
	uint32_t *path; /* the stacks that were entered, the outermost first */
	size_t nr, alloc;
	uint32_t *missing; /* those that are to be entered, the innermost first */
	size_t missing_nr, missing_alloc;
};

/* Leave and enter stacks until `stack` is the last one that was entered; STACK_EMPTY: leave all. */
void stack_walk_to(struct stack_walk *walk, uint32_t stack);

/* Nothing is left by it. */
void stack_walk_release(struct stack_walk *walk);

#endif
