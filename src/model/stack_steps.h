/*
 * Stacks on their way into the table: what is found out of each where processes and mappings are known, and what is left
 * to do then.
 *
 * That needs of a table nothing but its nodes, as the other needs nothing but its frames: each may have a thread
 * of its own.
 */
#ifndef MODEL_STACK_STEPS_H
#define MODEL_STACK_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"

/* A stack goes on from the last one of the same slot; of no slot: from none, and none goes on from it. */
#define STACK_SLOTS   64
#define STACK_NO_SLOT UINT32_MAX

/* Frames of a last stack that others can go on from; a longer one is forgotten. */
#define STACK_SLOT_FRAMES 512

/* Before the ids of its frames, the root's first. */
struct stack_head {
	uint32_t slot;
	uint32_t keep; /* it begins with so many frames of the last one; they do not follow */
	uint32_t nr;   /* so many do, which others may go on from */
	uint32_t more; /* and so many behind them, which none goes on from */
};

/* Of any number of stacks. */
struct stack_steps {
	uint32_t *v;
	size_t nr, alloc;
};

void stack_steps_release(struct stack_steps *steps);

/* Room for so many more numbers; not there yet. */
uint32_t *stack_steps_room(struct stack_steps *steps, size_t nr);

/* Begin a stack, whose frames are to follow; what stack_steps_end() is given. */
size_t stack_steps_begin(struct stack_steps *steps);
void stack_steps_end(struct stack_steps *steps, size_t begin, const struct stack_head *head);

/* The last stacks of all slots. */
struct stack_maker;

struct stack_maker *stack_maker_new(void);
void stack_maker_free(struct stack_maker *maker);

/* The stack that begins at `*at`, which goes on to the one behind. Stacks are made in the order in which they were begun. */
uint32_t stack_maker_next(struct stack_maker *maker, struct stack_table *table,
			  const struct stack_steps *steps, size_t *at);

#endif
