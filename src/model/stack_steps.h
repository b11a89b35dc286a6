/*
 * The two halves of adding a stack to the table. The first finds the frames of its addresses, and needs processes,
 * mappings and the table's frames. The second adds the frames as a stack, and needs only the table's nodes. Each half may
 * run in its own thread; steps are what the first one hands over.
 */
#ifndef MODEL_STACK_STEPS_H
#define MODEL_STACK_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"

/* A stack shares its callers with the previous stack of the same slot; with no slot it shares none. */
#define STACK_SLOTS   64
#define STACK_NO_SLOT UINT32_MAX

/* Frames of a previous stack that can be shared; a longer stack is not kept. */
#define STACK_SLOT_FRAMES 512

/* Precedes the ids of the stack's frames, root first. */
struct stack_head {
	uint32_t slot;
	uint32_t keep; /* frames shared with the previous stack; they do not follow */
	uint32_t nr;   /* frames that follow, and that the next stack may share */
	uint32_t more; /* frames after them, which are never shared */
};

/* The steps of any number of stacks. */
struct stack_steps {
	uint32_t *v;
	size_t nr, alloc;
};

void stack_steps_release(struct stack_steps *steps);

/* Make room for `nr` more numbers and return its start; `nr` of the steps is not changed. */
uint32_t *stack_steps_room(struct stack_steps *steps, size_t nr);

/* Begin a stack; its frames are added next. Pass the result to stack_steps_end(). */
size_t stack_steps_begin(struct stack_steps *steps);
void stack_steps_end(struct stack_steps *steps, size_t begin, const struct stack_head *head);

/* The head of the stack at `*at`, which moves to the next one. Returns the frames that follow. */
const uint32_t *stack_steps_next(const struct stack_steps *steps, size_t *at,
				 struct stack_head *head);

/* Keeps the previous stack of each slot. */
struct stack_maker;

struct stack_maker *stack_maker_new(void);
void stack_maker_free(struct stack_maker *maker);

/*
 * The id of the stack at `*at`, which moves to the next one. Call it in the order in which stacks were begun.
 */
uint32_t stack_maker_next(struct stack_maker *maker, struct stack_table *table,
			  const struct stack_steps *steps, size_t *at);

/*
 * The same as frames, without a table; they are valid until the next call. All stacks of a maker are got in one of the two
 * ways.
 */
struct stack_path stack_maker_path(struct stack_maker *maker, const struct stack_steps *steps,
				   size_t *at);

#endif
