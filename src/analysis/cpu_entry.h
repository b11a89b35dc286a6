/*
 * CPU time: of a key, and of a stack.
 */
#ifndef ANALYSIS_CPU_ENTRY_H
#define ANALYSIS_CPU_ENTRY_H

#include <stdint.h>

/*
 * The total of a key sums the samples with it anywhere on their stack, each once. The total of a stack sums its own samples
 * and those of all stacks that continue it. For keys that are not found by stacks it is equal to self.
 */
struct cpu_entry {
	int64_t samples; /* with the key as leaf */
	int64_t self_ns;
	int64_t total_ns;
};

/* The samples of a stack of the machine at a place (0 if keys have no places), or of a key. */
struct stack_tally {
	uint32_t stack, place;
	uint32_t samples, unwound; /* `unwound`: of the samples */
	int64_t ns, completed_ns;  /* `completed_ns`: of `ns` */
};

#endif
