#include "trace/perf/stack_pool.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/bits.h"

static void free_all(struct kept_stack *kept)
{
	while (kept) {
		struct kept_stack *next = kept->next;

		free(kept->words);
		free(kept);
		kept = next;
	}
}

void stack_pool_release(struct stack_pool *pool)
{
	free_all(pool->unused);
	free_all(pool->lent);
	*pool = (struct stack_pool)STACK_POOL_INIT;
}

static struct kept_stack *take_unused(struct stack_pool *pool, size_t words)
{
	struct kept_stack *kept = pool->unused;

	if (kept)
		pool->unused = kept->next;
	else
		kept = xcalloc(1, sizeof(*kept));
	if (kept->alloc < words) {
		free(kept->words);
		kept->words = xcalloc(words, sizeof(*kept->words));
		kept->alloc = words;
	}
	kept->next = NULL;
	return kept;
}

/* Copy words to `*to` and advance it. Returns the copy. */
static const uint64_t *copy_words(uint64_t **to, const uint64_t *from, size_t nr)
{
	uint64_t *start = *to;

	if (nr)
		memcpy(start, from, nr * sizeof(*from));
	*to += nr;
	return start;
}

struct kept_stack *stack_pool_keep(struct stack_pool *pool, const struct trace_stack *stack)
{
	const struct trace_stack_copy *copy = stack->copy;
	size_t values = copy ? bits_count(copy->mask) : 0;
	size_t words = (size_t)stack->kernel_nr + stack->user_nr + values +
		       (copy ? copy->bytes_nr / sizeof(uint64_t) + 1 : 0);
	struct kept_stack *kept = take_unused(pool, words);
	uint64_t *to = kept->words;

	kept->stack = *stack;
	kept->stack.kernel = copy_words(&to, stack->kernel, stack->kernel_nr);
	kept->stack.user = copy_words(&to, stack->user, stack->user_nr);
	if (copy) {
		kept->copy = *copy;
		kept->copy.values = copy_words(&to, copy->values, values);
		kept->copy.bytes = (const unsigned char *)to;
		if (copy->bytes_nr)
			memcpy(to, copy->bytes, copy->bytes_nr);
		kept->stack.copy = &kept->copy;
	}
	return kept;
}

void stack_pool_drop(struct stack_pool *pool, struct kept_stack *kept)
{
	if (!kept)
		return;
	kept->next = pool->unused;
	pool->unused = kept;
}

void stack_pool_lend(struct stack_pool *pool, struct kept_stack *kept)
{
	kept->next = pool->lent;
	pool->lent = kept;
}

void stack_pool_recycle(struct stack_pool *pool)
{
	while (pool->lent) {
		struct kept_stack *kept = pool->lent;

		pool->lent = kept->next;
		stack_pool_drop(pool, kept);
	}
}
