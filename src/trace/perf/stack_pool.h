/*
 * Stacks kept by value, for calls whose exit comes later than the bytes of their entry are there.
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

/* Each stack is on one of these, or with whom it was kept for. */
struct stack_pool {
	struct kept_stack *unused, *lent;
};

#define STACK_POOL_INIT \
	{ \
		NULL, NULL \
	}

/* Those with whom they were kept for have to be dropped before. */
void stack_pool_release(struct stack_pool *pool);

struct kept_stack *stack_pool_keep(struct stack_pool *pool, const struct trace_stack *stack);

/* It is not needed any more; NULL is fine. */
void stack_pool_drop(struct stack_pool *pool, struct kept_stack *kept);

/* It is needed until the next stack_pool_recycle(). */
void stack_pool_lend(struct stack_pool *pool, struct kept_stack *kept);
void stack_pool_recycle(struct stack_pool *pool);

#endif
