/*
 * Where stacks end: the outermost frame, and the outermost file. Frames outside the outermost one that is in a file are
 * not real: the frame pointer register had another value. Frames of the kernel are always right.
 */
#ifndef ANALYSIS_STACK_END_H
#define ANALYSIS_STACK_END_H

#include <stdint.h>

#include "model/machine.h"

struct stack_end {
	uint32_t frame;  /* the outermost frame; FRAME_TRUNCATED if there is none */
	uint32_t module; /* of the outermost frame in a file; MODULE_ID_UNKNOWN: there is none */
};

/* The end of a stack of the machine. */
struct stack_end stack_end_of(const struct machine *machine, uint32_t stack);

/* The ends of all stacks of the machine, by stack; the caller frees the result. */
struct stack_end *stack_ends_of_all(const struct machine *machine);

/* Finds the ends of stacks that are never added to the machine, by their steps alone. */
struct stack_end_finder;

struct stack_end_finder *stack_end_finder_new(void);
void stack_end_finder_free(struct stack_end_finder *finder);

/* The end of the stack at `*at`, which moves to the next one. Call it in the order in which stacks were begun. */
struct stack_end stack_end_finder_next(struct stack_end_finder *finder,
				       const struct machine *machine,
				       const struct stack_steps *steps, size_t *at);

/* By stack: its outermost frame; FRAME_TRUNCATED of STACK_EMPTY. The caller frees it. */
uint32_t *stack_roots_of_all(const struct stack_table *stacks);

/*
 * Give some stacks [truncated] as the caller of their outermost frames. All stacks are depth first, and `v` has some in the
 * order of their numbers: each is replaced by a new one, again in this order, after all that there were.
 */
void stack_mark_truncated(struct stack_table *stacks, uint32_t *v, size_t nr);

#endif
