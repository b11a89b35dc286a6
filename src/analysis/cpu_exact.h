/*
 * Exact CPU time, from context switches (struct trace_run): how long threads ran, were ready to run, and were blocked.
 */
#ifndef ANALYSIS_CPU_EXACT_H
#define ANALYSIS_CPU_EXACT_H

#include <stdint.h>

#include "model/trace_event.h"
#include "util/strbuf.h"

struct cpu_exact {
	int64_t run_ns;
	int64_t ready_ns;   /* other threads had the processors */
	int64_t blocked_ns; /* of waits that are over: until the thread was woken */
	int64_t switches;   /* to the threads */
};

/* Add what of a run and the waits before it is from from_ns up to, not including, to_ns (INT64_MAX: no end). */
void cpu_exact_add(struct cpu_exact *exact, const struct trace_run *run, int64_t from_ns,
		   int64_t to_ns);

void cpu_exact_join(struct cpu_exact *exact, const struct cpu_exact *other);

/* Append a line about the sum of the gaps, if there are any: `gap` has it as run_ns. */
void cpu_exact_explain(const struct cpu_exact *gap, struct strbuf *notes);

#endif
