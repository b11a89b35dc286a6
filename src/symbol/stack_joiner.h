/*
 * Completes stacks of truncated stack copies with frames of earlier stacks of the same thread.
 *
 * A frame is identified by its stack pointer, which stays the same until the function returns. The end of a truncated copy
 * still has the stack pointer of the next caller. If an earlier stack of the thread had a frame with this stack pointer,
 * this frame and all its callers are assumed to be still there. Otherwise the thread's last call chain may have the return
 * address.
 */
#ifndef SYMBOL_STACK_JOINER_H
#define SYMBOL_STACK_JOINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct joiner_frame {
	uint64_t sp;      /* its stack pointer at the call; 0: unknown */
	uint64_t address; /* a return address, except a leaf's */
};

/* Leaf first. */
struct joiner_stack {
	struct joiner_frame *v;
	size_t nr, alloc;
};

void joiner_stack_add(struct joiner_stack *stack, uint64_t sp, uint64_t address);
void joiner_stack_release(struct joiner_stack *stack);

#define STACK_JOINER_MAX 8192 /* maximum number of frames of a joined stack */

struct stack_joiner;

struct stack_joiner *stack_joiner_new(void);
void stack_joiner_free(struct stack_joiner *joiner);

/* `thread` below is a number that is never reused. Call the functions in the order of time. */

/* Remember a complete stack, which reaches the thread's start. */
void stack_joiner_learn(struct stack_joiner *joiner, int64_t thread,
			const struct joiner_stack *stack);

/* Remember a call chain found by frame pointers, leaf first; some addresses may be wrong. */
void stack_joiner_see_chain(struct stack_joiner *joiner, int64_t thread, const uint64_t *addresses,
			    size_t nr);

/*
 * Complete a stack that ends early; `top` is the stack pointer of the missing caller. True: frames up to the thread's start
 * were added, and the stack is remembered. False: `stack` is unchanged, and remembered frames below `top` are forgotten.
 */
bool stack_joiner_join(struct stack_joiner *joiner, int64_t thread, uint64_t top,
		       struct joiner_stack *stack);

/* The thread ended, or runs another program: forget its stacks. */
void stack_joiner_forget(struct stack_joiner *joiner, int64_t thread);

#endif
