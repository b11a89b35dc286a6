/*
 * CPU time by keys of two dimensions, of which one is found by stacks: `--by crate,function`.
 */
#ifndef ANALYSIS_CPU_JOINED_H
#define ANALYSIS_CPU_JOINED_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/cpu_entry.h"
#include "analysis/group.h"
#include "model/machine.h"

/*
 * The entries, by the keys of the grouping, of all tallies; the caller frees them. The total of a key sums the tallies of
 * its outer key with the inner key anywhere on their stack.
 */
struct cpu_entry *cpu_joined_entries(struct machine *machine, struct grouping *grouping,
				     const struct stack_tally *tallies, size_t nr,
				     size_t *entries_nr);

#endif
