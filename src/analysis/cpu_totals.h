/*
 * CPU time of keys with all that is called by them: by stacks of the machine, which are depth first, and tallies in the
 * order of their stacks (cpu_account_keep_counted()).
 */
#ifndef ANALYSIS_CPU_TOTALS_H
#define ANALYSIS_CPU_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_entry.h"
#include "analysis/dimension.h"
#include "model/stack.h"

/*
 * By stack: the number after that of the last stack with samples that is it or continues it; 0: there is none. To be freed
 * by the caller.
 */
uint32_t *cpu_totals_ends(const struct stack_table *stacks, const struct stack_tally *tallies,
			  size_t nr);

/* Make the keys of all frames that have samples, in the order in which frames were first seen. */
void cpu_totals_make_keys(const uint32_t *ends, const struct stack_table *stacks,
			  struct dimension *dimension);

/* Add to the totals of the keys of all frames, which exist; `entries` is by key. */
void cpu_totals_add(const uint32_t *ends, const struct stack_table *stacks,
		    const struct stack_tally *tallies, size_t nr, struct dimension *dimension,
		    struct cpu_entry *entries);

/* The other way: from sums of stacks alone, those with all stacks that continue them. Any order will do. */
void cpu_totals_sum_up(const struct stack_table *stacks, int64_t *sums);

#endif
