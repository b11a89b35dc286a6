/*
 * Copies of stacks that end too early, made whole by what their thread was seen to have before.
 *
 * Frames are told by their place in the stack: a function that calls has the same stack pointer each time,
 * until it returns. A copy that ends still tells the stack pointer of the caller that it does not reach. Where
 * an earlier stack of the thread had a frame with that one, it and all frames above it are taken to be there
 * still. Where none had, the thread's last call chain may have the return address.
 */
#ifndef SYMBOL_STACK_JOINER_H
#define SYMBOL_STACK_JOINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct joiner_frame {
	uint64_t sp;      /* the stack pointer in it, where it calls; 0: not known */
	uint64_t address; /* a return address, but for a leaf */
};

/* Leaf first. */
struct joiner_stack {
	struct joiner_frame *v;
	size_t nr, alloc;
};

void joiner_stack_add(struct joiner_stack *stack, uint64_t sp, uint64_t address);
void joiner_stack_release(struct joiner_stack *stack);

#define STACK_JOINER_MAX 8192 /* frames that a stack may come to have */

struct stack_joiner;

struct stack_joiner *stack_joiner_new(void);
void stack_joiner_free(struct stack_joiner *joiner);

/* What follows is about one thread at a time, by a number that no other ever has, in the order of time. */

/* A stack up to the thread's start. */
void stack_joiner_learn(struct stack_joiner *joiner, int64_t thread,
			const struct joiner_stack *stack);

/* A call chain along frame pointers, leaf first; it may have gone astray. */
void stack_joiner_see_chain(struct stack_joiner *joiner, int64_t thread, const uint64_t *addresses,
			    size_t nr);

/*
 * A stack that ends early: `top` is the stack pointer of the missing caller. True: the frames up to the start
 * were added, and the stack was learned. False: `stack` is as it was; frames that were known below `top` are
 * gone, while those above may still be there.
 */
bool stack_joiner_join(struct stack_joiner *joiner, int64_t thread, uint64_t top,
		       struct joiner_stack *stack);

/* The thread ended, or has another program. */
void stack_joiner_forget(struct stack_joiner *joiner, int64_t thread);

#endif
