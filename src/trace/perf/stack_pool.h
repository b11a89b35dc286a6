/*
 * Copies of stacks: for system calls whose entry is no longer in memory when their exit is read.
 */
#ifndef TRACE_STACK_POOL_H
#define TRACE_STACK_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

struct kept_stack {
	struct kept_stack *next;
	struct trace_stack stack; /* into `words` */
	struct trace_stack_copy copy;
	uint64_t *words;
	size_t alloc;
};

/* A stack is in one of these lists, or belongs to the caller of stack_pool_keep(). */
struct stack_pool {
	struct kept_stack *unused, *lent;
};

#define STACK_POOL_INIT \
	{ \
		NULL, NULL \
	}

/* Free the pool; every kept stack must have been dropped or lent. */
void stack_pool_release(struct stack_pool *pool);

struct kept_stack *stack_pool_keep(struct stack_pool *pool, const struct trace_stack *stack);

/* Return a stack to the pool at once; NULL is allowed. */
void stack_pool_drop(struct stack_pool *pool, struct kept_stack *kept);

/* Return a stack to the pool at the next stack_pool_recycle(). */
void stack_pool_lend(struct stack_pool *pool, struct kept_stack *kept);
void stack_pool_recycle(struct stack_pool *pool);

#endif
