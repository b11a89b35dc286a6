/*
 * Self and total of keys that stacks tell (by module, by function, by stack), from what was counted of each stack.
 */
#ifndef ANALYSIS_STACK_TOTALS_H
#define ANALYSIS_STACK_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "model/machine.h"

/* What was counted of a stack of the machine, and of a root where keys have roots. */
struct stack_tally {
	uint32_t stack, root;
	int64_t samples, ns;
	uint64_t unwound; /* of the samples */
};

/*
 * Total: the samples with the key anywhere on their stack, each once; of a stack those whose stack begins (at
 * the root) with it, among them its own. Where keys are not told by stacks it is self.
 */
struct cpu_entry {
	int64_t samples; /* with the key as leaf */
	int64_t self_ns;
	int64_t total_ns;
};

struct stack_totals;

/* All borrowed; no stack comes into the machine from here on. */
struct stack_totals *stack_totals_new(const struct machine *machine, struct grouping *grouping,
				      const struct stack_tally *tallies, size_t nr);
void stack_totals_free(struct stack_totals *totals);

/*
 * Functions of frames are found meanwhile: work out what can be with those of the first `frames`, which may be 0, and of which
 * the function table has all.
 */
void stack_totals_advance(struct stack_totals *totals, size_t frames);

/* All functions are known: work out the rest, once. By the grouping's keys, good until it is freed. */
const struct cpu_entry *stack_totals_finish(struct stack_totals *totals, size_t *nr);

#endif
