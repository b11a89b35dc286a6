/*
 * The memory that all programs of a machine used, from the measurements of a trace (struct trace_machine_memory).
 */
#ifndef ANALYSIS_MACHINE_MEMORY_H
#define ANALYSIS_MACHINE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_facts.h"

/* The extremes of a range of time. -1: nothing was measured in it. */
struct machine_memory {
	int64_t commit_bytes, commit_ns;       /* the most, and the first moment of it */
	int64_t available_bytes, available_ns; /* the least */
};

/* Of the measurements from from_ns up to, not including, to_ns. */
struct machine_memory machine_memory_of(const struct trace_facts *facts, int64_t from_ns,
					int64_t to_ns);

/* The same of each of `nr` steps of step_ns, the first from from_ns on. */
void machine_memory_steps(const struct trace_facts *facts, int64_t from_ns, int64_t step_ns,
			  struct machine_memory *steps, size_t nr);

#endif
