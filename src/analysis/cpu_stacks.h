/*
 * The stacks of CPU samples: as recorded, with their callers completed (analysis/stack_completer.h), or known beforehand
 * (machine.known_stacks).
 */
#ifndef ANALYSIS_CPU_STACKS_H
#define ANALYSIS_CPU_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/stack_completer.h"
#include "model/machine.h"
#include "model/stack_steps.h"
#include "model/trace_event.h"

struct cpu_stacks;

enum cpu_step {
	CPU_SAMPLE,
	CPU_STACK, /* only its stack is needed */
	/* Without a stack: */
	CPU_THREAD_END,
	CPU_PROGRAM_END, /* another program runs in the process, or another process has its pid */
};

/* What is to be done with an event. */
struct cpu_sample {
	enum cpu_step step;
	int64_t pid, tid;
	uint32_t known; /* its KNOWN_STACK() */
	/* For `take`; all but `unwound`, which is 0 or 1, is the caller's. */
	struct completer_samples samples;
};

/* Deferred samples: their stacks are not looked up yet. */
struct cpu_samples {
	struct stack_steps steps; /* of each sample, one after the other */
	struct cpu_sample *v;
	size_t nr, alloc;
};

void cpu_samples_release(struct cpu_samples *samples);

/* `complete`: call chains that stop short are completed. `take` gets each sample once its stack is known. */
struct cpu_stacks *cpu_stacks_new(struct machine *machine, bool complete, completer_fn *take,
				  void *data);
void cpu_stacks_free(struct cpu_stacks *stacks);

/* Whether samples that are not counted complete the stacks of others. */
bool cpu_stacks_need_all(const struct cpu_stacks *stacks);

/* An event of any kind, each once, in their order. False: nothing is to be done with it. */
bool cpu_stacks_see(struct cpu_stacks *stacks, const struct trace_event *event,
		    struct cpu_sample *sample);

/* `step` of a sample: whether it has a stack, so that its process is needed. */
bool cpu_step_has_stack(enum cpu_step step);

/* Do what the event asks for. `process` is that of a step with a stack. */
void cpu_stacks_apply(struct cpu_stacks *stacks, const struct trace_event *event,
		      struct trace_process *process, const struct cpu_sample *sample);

/*
 * cpu_stacks_apply() in two steps, for an event that may be deferred. cpu_stacks_defer() adds the sample, cpu_stacks_take()
 * does what the events ask for, in their order; it may run in another thread.
 */
bool cpu_stacks_may_defer(const struct trace_event *event);
void cpu_stacks_defer(struct cpu_stacks *stacks, const struct trace_event *event,
		      struct trace_process *process, const struct cpu_sample *sample,
		      struct cpu_samples *samples);
void cpu_stacks_take(struct cpu_stacks *stacks, const struct cpu_samples *samples);

/* No events follow: take the samples that wait for what completes their stacks. */
void cpu_stacks_end(struct cpu_stacks *stacks);

#endif
