/*
 * The traced machine at a moment of the trace: its processes, threads, mappings and stacks. Events go in one
 * by one, by time; what an event is about can be asked after it went in.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/address_space.h"
#include "model/module.h"
#include "model/process.h"
#include "model/stack.h"
#include "model/stack_steps.h"
#include "model/trace_event.h"

struct trace_row;

/* A process as the trace saw it, from its start to its end. Process ids are used again. */
struct trace_process {
	size_t index; /* in the machine's list */
	size_t row;   /* in the list of processes */
	int64_t pid;
	int64_t start_ns; /* or when it was first seen */
	int64_t end_ns;   /* PROCESS_UNKNOWN while it lives */
	bool known;       /* its row was in the list before: the tracker saw it */
	bool started;     /* the trace told of its start */
	bool has_end;     /* see trace_start */
	struct address_space space;
	struct address_space before; /* of the program before its exec, until the new one runs */
	size_t copied;               /* so many mappings were its parent's */
	size_t threads; /* alive; the first, whose tid is the pid, is there from the start */
	struct trace_thread *first, *last; /* of all that it ever had */
	struct trace_row *told;            /* NULL: its row was known, or it ended */
};

struct trace_thread {
	size_t index;
	int64_t tid; /* -1: the trace does not tell which */
	struct trace_process *process;
	struct trace_thread *before; /* it in the same process */
	char *name; /* the last one; a new thread has that of its maker; "" where none was told */
	bool alive;
};

struct machine;

/*
 * Turns stacks that are carried as bytes into frames: by unwinding, or from what was unwound before.
 * `find` gives the id of the process's part of the stack and whether it is whole; STACK_EMPTY: no frame.
 * `thread` is whose stack it is, NULL where that is not known. `forget` (NULL: needs no telling) is told that a
 * thread ended, or that its process runs another program: its stack is over.
 */
struct stack_source {
	void *data;
	uint32_t (*find)(void *data, struct machine *machine, struct trace_process *process,
			 const struct trace_thread *thread, const struct trace_stack *stack,
			 bool *whole);
	void (*forget)(void *data, const struct trace_thread *thread);
};

struct recent_chains;

struct machine {
	struct process_list *rows; /* borrowed; grows by those that only the trace knows */
	struct module_table modules;
	struct stack_table stacks;
	struct trace_process **processes; /* all that ever were */
	size_t processes_nr, processes_alloc;
	struct trace_thread **threads;
	size_t threads_nr, threads_alloc;
	struct address_space kernel;
	struct machine_lookup *lookup; /* by pid and tid */
	struct recent_chains *recent;
	struct stack_maker *maker;
	struct stack_steps steps;   /* room for one stack */
	struct stack_source copies; /* `find` NULL: stack copies have no frames */
	/* A call chain with so many frames may have been cut; the longest seen raises it. 0: none was cut. */
	uint32_t max_stack;
	uint64_t stacks_truncated; /* stacks that machine_stack() gave with [truncated] */
	/*
	 * What living processes have of their parents: mappings here, and as many ranges of memory in the
	 * accounting. A fork that would go beyond that is cut: the child has nothing, and is counted.
	 */
	size_t copied, max_copied;
	uint64_t forks_cut;
};

/* Some 10,000 processes with 200 mappings each; a damaged file may tell of millions with any number. */
#define MACHINE_MAX_COPIED ((size_t)2 << 20)

/* kernel.perf_event_max_stack of Linux, as it is where nobody changed it. */
#define MACHINE_MAX_STACK 127

/*
 * `rows` are the recording's processes, or empty. A process of the trace is the row with its pid whose start is
 * nearest; one that no row has gets one behind them, tagged by what the trace alone can tell. In rows that were
 * there only an end that is not known is filled in. The list may not be sorted as long as the machine lives.
 */
void machine_init(struct machine *machine, struct process_list *rows);
void machine_release(struct machine *machine);

/*
 * Take in an event that changes processes, threads or mappings; others are ignored. A process that starts at
 * or before 0 was there before. A process ends with its last thread unless its end is told; it keeps its mappings for a
 * while, for samples that come late.
 */
void machine_apply(struct machine *machine, const struct trace_event *event);

/*
 * Who the event is about; made up where the trace did not tell of it: all of pid -1 are one process, "[unknown]".
 * One that ended up to a second ago, where none took its pid since. NULL for the idle process.
 */
struct trace_process *machine_process(struct machine *machine, int64_t pid, int64_t time_ns);
struct trace_thread *machine_thread(struct machine *machine, const struct trace_event *event);

/*
 * The frame of an address, FRAME_UNKNOWN where nothing is mapped; `is_return`: it is that of the instruction behind a
 * call. `process` may be NULL.
 */
uint32_t machine_frame(struct machine *machine, struct trace_process *process, uint64_t address,
		       bool kernel, bool is_return);

/* Whether the event's call chain is as long as the kernel makes them, so that callers may be missing. */
bool machine_may_cut(const struct machine *machine, const struct trace_stack *stack);

/*
 * The id of an event's stack; a stack that carries a copy is given to `copies`, and has the root [truncated]
 * where that does not reach its start, as a call chain of `max_stack` frames has. STACK_EMPTY where it has no
 * frame. The kernel's part is left out, but counts for the length, with `stack->kernel` NULL. Fast for stacks
 * that come again, and for those whose callers a thread (`tid`) has had just before.
 */
uint32_t machine_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack);

/*
 * The first half of that, for a stack without a copy: add its steps. The other half, stack_maker_next() of the
 * machine's `maker` and `stacks`, must come before machine_stack() is asked again, or stack_table_push().
 */
void machine_stack_steps(struct machine *machine, struct trace_process *process, int64_t tid,
			 const struct trace_stack *stack, struct stack_steps *steps);

/* The stack's frames alone come into the table: for a machine that is asked for no stack. */
void machine_see_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack);

#endif
