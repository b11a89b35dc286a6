/*
 * CPU time of keys with all that is called by them: by stacks of the machine.
 */
#ifndef ANALYSIS_CPU_TOTALS_H
#define ANALYSIS_CPU_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_entry.h"
#include "analysis/dimension.h"
#include "model/stack.h"

/* By stack, of its own samples and those of all stacks that continue it. Members are NULL until they are found. */
struct cpu_totals {
	int64_t *sums; /* their time */
	bool *has;     /* whether there are any */
};

void cpu_totals_find_sampled(struct cpu_totals *totals, const struct stack_table *stacks,
			     const struct stack_tally *tallies, size_t nr);
void cpu_totals_find_sums(struct cpu_totals *totals, const struct stack_table *stacks,
			  const struct stack_tally *tallies, size_t nr);
void cpu_totals_release(struct cpu_totals *totals);

/* From the sums of stacks alone, those with all stacks that continue them. */
void cpu_totals_sum_up(const struct stack_table *stacks, int64_t *sums);

/* Make the keys of all frames that have samples, in the order in which frames were first seen. */
void cpu_totals_make_keys(const struct cpu_totals *totals, const struct stack_table *stacks,
			  struct dimension *dimension);

/* Add to the totals of the keys of all frames; `entries` is by key. Fast if the stacks are depth first. */
void cpu_totals_add(const struct cpu_totals *totals, const struct stack_table *stacks,
		    struct dimension *dimension, struct cpu_entry *entries);

#endif
