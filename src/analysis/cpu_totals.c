#include "analysis/cpu_totals.h"

#include <stdlib.h>

#include "model/stack_walk.h"
#include "util/alloc.h"
#include "util/wrap.h"

void cpu_totals_release(struct cpu_totals *totals)
{
	free(totals->sums);
	free(totals->has);
	*totals = (struct cpu_totals){ NULL, NULL };
}

/* The id of a stack is above that of its caller: from the last one down, each adds its sum to its caller. */
void cpu_totals_sum_up(const struct stack_table *stacks, int64_t *sums)
{
	for (size_t i = stacks->nodes_nr; i-- > STACK_EMPTY + 1;)
		wrap_add_to(&sums[stacks->nodes[i].parent], sums[i]);
}

void cpu_totals_find_sampled(struct cpu_totals *totals, const struct stack_table *stacks,
			     const struct stack_tally *tallies, size_t nr)
{
	bool *has = xcalloc(stacks->nodes_nr, sizeof(*has));

	for (size_t i = 0; i < nr; i++)
		has[tallies[i].stack] = true;
	for (size_t i = stacks->nodes_nr; i-- > STACK_EMPTY + 1;)
		has[stacks->nodes[i].parent] |= has[i];
	totals->has = has;
}

void cpu_totals_find_sums(struct cpu_totals *totals, const struct stack_table *stacks,
			  const struct stack_tally *tallies, size_t nr)
{
	int64_t *sums = xcalloc(stacks->nodes_nr, sizeof(*sums));

	for (size_t i = 0; i < nr; i++)
		wrap_add_to(&sums[tallies[i].stack], tallies[i].ns);
	cpu_totals_sum_up(stacks, sums);
	totals->sums = sums;
}

void cpu_totals_make_keys(const struct cpu_totals *totals, const struct stack_table *stacks,
			  struct dimension *dimension)
{
	bool *wanted = xcalloc(stacks->frames_nr, sizeof(*wanted));

	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		wanted[stacks->nodes[i].frame] |= totals->has[i];
	for (size_t i = 0; i < stacks->frames_nr; i++) {
		if (wanted[i])
			dimension_frame_keys(dimension, (uint32_t)i);
	}
	free(wanted);
}

struct adder {
	const struct cpu_totals *totals;
	const struct stack_table *stacks;
	struct dimension *dimension;
	struct cpu_entry *entries;
	uint32_t *calls;  /* how often each key is on the path from the root to the current stack */
	uint32_t current; /* the stack whose time is added; those on the way to it have theirs */
};

/* The keys of the innermost frame of a stack. */
static struct frame_keys keys_of(const struct adder *adder, uint32_t stack)
{
	return dimension_frame_keys(adder->dimension, adder->stacks->nodes[stack].frame);
}

/* The samples of a stack and of all that continue it are added to a key once: where it is first on the path. */
static void enter(void *data, uint32_t stack)
{
	struct adder *adder = data;
	struct frame_keys keys = keys_of(adder, stack);

	for (size_t i = 0; i < keys.nr; i++) {
		if (!adder->calls[keys.v[i]]++ && stack == adder->current)
			wrap_add_to(&adder->entries[keys.v[i]].total_ns,
				    adder->totals->sums[stack]);
	}
}

static void leave(void *data, uint32_t stack)
{
	struct adder *adder = data;
	struct frame_keys keys = keys_of(adder, stack);

	for (size_t i = 0; i < keys.nr; i++)
		adder->calls[keys.v[i]]--;
}

void cpu_totals_add(const struct cpu_totals *totals, const struct stack_table *stacks,
		    struct dimension *dimension, struct cpu_entry *entries)
{
	struct adder adder = {
		.totals = totals,
		.stacks = stacks,
		.dimension = dimension,
		.entries = entries,
		.calls = xcalloc(dimension_nr(dimension) + 1, sizeof(*adder.calls)),
	};
	struct stack_walk walk = {
		.nodes = stacks->nodes, .enter = enter, .leave = leave, .data = &adder
	};

	for (uint32_t stack = STACK_EMPTY + 1; stack < stacks->nodes_nr; stack++) {
		if (!totals->has[stack])
			continue;
		adder.current = stack;
		stack_walk_to(&walk, stack);
	}
	stack_walk_release(&walk);
	free(adder.calls);
}
