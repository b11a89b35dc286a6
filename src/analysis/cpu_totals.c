#include "analysis/cpu_totals.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/wrap.h"

/* The id of a stack is above that of its caller: from the last one down, each adds its sum to its caller. */
void cpu_totals_sum_up(const struct stack_table *stacks, int64_t *sums)
{
	for (size_t i = stacks->nodes_nr; i-- > STACK_EMPTY + 1;)
		wrap_add_to(&sums[stacks->nodes[i].parent], sums[i]);
}

uint32_t *cpu_totals_ends(const struct stack_table *stacks, const struct stack_tally *tallies,
			  size_t nr)
{
	uint32_t *ends = xcalloc(stacks->nodes_nr, sizeof(*ends));

	for (size_t i = 0; i < nr; i++)
		ends[tallies[i].stack] = tallies[i].stack + 1;
	/* From the last one down: the first callee that a caller gets its end from has the highest. */
	for (size_t i = stacks->nodes_nr; i-- > STACK_EMPTY + 1;) {
		uint32_t *callers = &ends[stacks->nodes[i].parent];

		if (ends[i] > *callers)
			*callers = ends[i];
	}
	return ends;
}

void cpu_totals_make_keys(const uint32_t *ends, const struct stack_table *stacks,
			  struct dimension *dimension)
{
	bool *wanted = xcalloc(stacks->frames_nr, sizeof(*wanted));

	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++)
		wanted[stacks->nodes[i].frame] |= ends[i] != 0;
	for (size_t i = 0; i < stacks->frames_nr; i++) {
		if (wanted[i])
			dimension_frame_keys(dimension, (uint32_t)i);
	}
	free(wanted);
}

/* A stack, with what continues it, that adds its time to a key: none of its callers has that key. */
struct open_total {
	uint32_t end, key;
	int64_t before_ns; /* the time of all stacks before it */
};

struct adder {
	struct cpu_entry *entries;
	uint32_t *until; /* by key: the end of the last stack that adds to it */
	struct open_total *open;
	size_t nr, alloc;
	int64_t ns; /* of all stacks so far */
};

static void close_before(struct adder *adder, uint32_t stack)
{
	while (adder->nr && adder->open[adder->nr - 1].end <= stack) {
		const struct open_total *last = &adder->open[--adder->nr];

		wrap_add_to(&adder->entries[last->key].total_ns,
			    wrap_subtract(adder->ns, last->before_ns));
	}
}

static void open_keys(struct adder *adder, struct frame_keys keys, uint32_t stack, uint32_t end)
{
	for (size_t i = 0; i < keys.nr; i++) {
		uint32_t key = keys.v[i];

		if (adder->until[key] > stack)
			continue;
		adder->until[key] = end;
		ARRAY_ADD(adder->open, adder->nr, adder->alloc,
			  (struct open_total){ end, key, adder->ns });
	}
}

/*
 * Stacks that continue another one follow it: one pass, in which the time of all stacks is summed up, has at the end of
 * each what was added since its beginning.
 */
void cpu_totals_add(const uint32_t *ends, const struct stack_table *stacks,
		    const struct stack_tally *tallies, size_t nr, struct dimension *dimension,
		    struct cpu_entry *entries)
{
	struct adder adder = {
		.entries = entries,
		.until = xcalloc(dimension_nr(dimension) + 1, sizeof(*adder.until)),
	};
	size_t at = 0;

	for (uint32_t stack = STACK_EMPTY; stack < stacks->nodes_nr; stack++) {
		if (!ends[stack])
			continue;
		close_before(&adder, stack);
		if (stack != STACK_EMPTY)
			open_keys(&adder,
				  dimension_frame_keys(dimension, stacks->nodes[stack].frame),
				  stack, ends[stack]);
		for (; at < nr && tallies[at].stack == stack; at++)
			wrap_add_to(&adder.ns, tallies[at].ns);
	}
	close_before(&adder, UINT32_MAX);
	free(adder.open);
	free(adder.until);
}
