#include "symbol/stack_joiner.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

/* Earlier stacks of a thread. */
struct known {
	/* The last complete stack, without its leaf; frames that have returned since are removed. */
	struct joiner_stack stack;
	uint64_t *chain; /* the last call chain */
	size_t chain_nr, chain_alloc;
};

struct stack_joiner {
	struct intmap threads;
};

void joiner_stack_add(struct joiner_stack *stack, uint64_t sp, uint64_t address)
{
	ARRAY_ADD(stack->v, stack->nr, stack->alloc, (struct joiner_frame){ sp, address });
}

void joiner_stack_release(struct joiner_stack *stack)
{
	free(stack->v);
	*stack = (struct joiner_stack){ .v = NULL };
}

struct stack_joiner *stack_joiner_new(void)
{
	return xcalloc(1, sizeof(struct stack_joiner));
}

static void free_known(struct known *known)
{
	if (!known)
		return;
	joiner_stack_release(&known->stack);
	free(known->chain);
	free(known);
}

void stack_joiner_free(struct stack_joiner *joiner)
{
	if (!joiner)
		return;
	for (size_t i = 0; i < joiner->threads.nr; i++)
		free_known(joiner->threads.v[i].value);
	intmap_release(&joiner->threads);
	free(joiner);
}

static struct known *known_of(struct stack_joiner *joiner, int64_t thread)
{
	struct known *known = intmap_get(&joiner->threads, thread);

	if (!known) {
		known = xcalloc(1, sizeof(*known));
		intmap_put(&joiner->threads, thread, known);
	}
	return known;
}

/* The leaf is left out: it is not a caller. */
void stack_joiner_learn(struct stack_joiner *joiner, int64_t thread,
			const struct joiner_stack *stack)
{
	struct joiner_stack *kept = &known_of(joiner, thread)->stack;

	kept->nr = stack->nr ? stack->nr - 1 : 0;
	if (!kept->nr)
		return;
	ARRAY_GROW(kept->v, kept->nr, kept->alloc);
	memcpy(kept->v, stack->v + 1, kept->nr * sizeof(*kept->v));
}

void stack_joiner_see_chain(struct stack_joiner *joiner, int64_t thread, const uint64_t *addresses,
			    size_t nr)
{
	struct known *known;

	/* A shorter chain has no callers to add. */
	if (nr < 3)
		return;
	known = known_of(joiner, thread);
	ARRAY_GROW(known->chain, nr, known->chain_alloc);
	memcpy(known->chain, addresses, nr * sizeof(*addresses));
	known->chain_nr = nr;
}

static void add_from(struct joiner_stack *stack, const struct joiner_stack *known, size_t first)
{
	for (size_t i = first; i < known->nr; i++)
		joiner_stack_add(stack, known->v[i].sp, known->v[i].address);
}

static bool join_by_sp(const struct joiner_stack *known, uint64_t top, struct joiner_stack *stack)
{
	for (size_t i = 0; i < known->nr; i++) {
		if (known->v[i].sp == top) {
			add_from(stack, known, i);
			return true;
		}
	}
	return false;
}

/* The index of an address in the chain; 0: it is not there, or several times, as in a recursion. */
static size_t find_once(const struct known *known, uint64_t address)
{
	size_t found = 0;

	for (size_t i = 1; i < known->chain_nr; i++) {
		if (known->chain[i] != address)
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/* The frame with the return address, the outermost if there are several; known->nr: none. */
static size_t find_known(const struct joiner_stack *known, uint64_t address)
{
	for (size_t i = known->nr; i-- > 0;) {
		if (known->v[i].address == address)
			return i;
	}
	return known->nr;
}

/*
 * If the chain has the stack's outermost return address, its outer frames are added, up to the outermost one that the
 * earlier complete stack has too. Addresses beyond that one may be invalid: a function without a frame pointer leads
 * the chain astray.
 */
static bool join_by_chain(const struct known *known, struct joiner_stack *stack)
{
	size_t from, at = known->stack.nr;

	if (stack->nr < 2)
		return false;
	from = find_once(known, stack->v[stack->nr - 1].address);
	if (!from)
		return false;
	for (size_t to = known->chain_nr; to-- > from;) {
		at = find_known(&known->stack, known->chain[to]);
		if (at == known->stack.nr)
			continue;
		for (size_t i = from + 1; i < to; i++)
			joiner_stack_add(stack, 0, known->chain[i]);
		add_from(stack, &known->stack, to == from ? at + 1 : at);
		return true;
	}
	return false;
}

/* Forget the frames below `top`: that part of the stack has changed. */
static void drop_below(struct joiner_stack *known, uint64_t top)
{
	size_t first = 0;

	while (first < known->nr && known->v[first].sp < top)
		first++;
	if (!first)
		return;
	known->nr -= first;
	memmove(known->v, known->v + first, known->nr * sizeof(*known->v));
}

bool stack_joiner_join(struct stack_joiner *joiner, int64_t thread, uint64_t top,
		       struct joiner_stack *stack)
{
	struct known *known = intmap_get(&joiner->threads, thread);
	size_t had = stack->nr;

	if (!known)
		return false;
	if (!join_by_sp(&known->stack, top, stack) && !join_by_chain(known, stack)) {
		drop_below(&known->stack, top);
		return false;
	}
	if (stack->nr > STACK_JOINER_MAX) {
		stack->nr = had;
		return false;
	}
	stack_joiner_learn(joiner, thread, stack);
	return true;
}

void stack_joiner_forget(struct stack_joiner *joiner, int64_t thread)
{
	free_known(intmap_remove(&joiner->threads, thread));
}
