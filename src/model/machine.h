/*
 * The traced machine at a moment of the trace: its processes, threads, mappings and stacks. machine_apply() gets the
 * events one by one, sorted by time. After an event its process, thread and stack can be looked up.
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

/* A process as the trace saw it, from its start to its end. Process ids are reused. */
struct trace_process {
	size_t index; /* in the machine's list */
	size_t row;   /* in the list of processes */
	int64_t pid;
	int64_t start_ns; /* or when it was first seen */
	int64_t end_ns;   /* PROCESS_UNKNOWN while it lives */
	bool known;       /* it has a row in the recording's list */
	bool started;     /* the trace has its start */
	bool has_end;     /* see trace_start */
	struct address_space space;
	struct address_space before; /* of the program before its exec, until the new one runs */
	size_t copied;               /* number of mappings copied from its parent */
	size_t threads; /* alive; the first, whose tid is the pid, exists from the start */
	struct trace_thread *first, *last; /* of all threads it ever had */
	struct trace_row *trace_row;       /* NULL: its row is `known`, or it ended */
};

struct trace_thread {
	size_t index;
	int64_t tid; /* -1: unknown */
	struct trace_process *process;
	struct trace_thread *before; /* the previous thread of the process */
	char *name;                  /* its latest; a new thread has its creator's; "": unknown */
	bool alive;
};

struct machine;

/*
 * Turns stack copies into frames: by unwinding, or from the results of an earlier unwinding.
 * `find` returns the id of the user part of the stack, STACK_EMPTY if it has no frame, and sets `complete` if the stack
 * reaches the thread's start. `thread` is NULL if unknown. `forget` (may be NULL) is called when a thread ended or its
 * process runs another program: earlier stacks of the thread are no longer valid.
 */
struct stack_source {
	void *data;
	uint32_t (*find)(void *data, struct machine *machine, struct trace_process *process,
			 const struct trace_thread *thread, const struct trace_stack *stack,
			 bool *complete);
	void (*forget)(void *data, const struct trace_thread *thread);
};

struct recent_chains;

/* Of each CPU sample of the trace, in their order: its stack in machine.stacks, and whether its callers were completed. */
struct known_stacks {
	uint32_t *v; /* KNOWN_STACK(); owned. NULL: none is known */
	size_t nr;
};

#define KNOWN_STACK(stack, completed) ((uint32_t)((stack) << 1 | (completed)))
#define KNOWN_STACK_MAX               ((uint32_t)INT32_MAX) /* of stacks */

struct machine {
	struct process_list *rows; /* borrowed; processes that only the trace knows are added */
	int64_t first_ns; /* when the trace began; a profiler may start long after time zero */
	struct module_table modules;
	struct stack_table stacks;
	struct known_stacks known_stacks; /* of the trace that is played */
	struct trace_process **processes; /* all that ever existed */
	size_t processes_nr, processes_alloc;
	struct trace_thread **threads;
	size_t threads_nr, threads_alloc;
	struct address_space kernel;
	struct machine_lookup *lookup; /* by pid and tid */
	struct recent_chains *recent;  /* of the threads; NULL: none yet */
	struct stack_maker *maker;
	struct stack_steps steps;   /* room for one stack */
	struct stack_source copies; /* `find` NULL: stack copies have no frames */
	/* A call chain of this many frames may be truncated; a longer one raises it. 0: none is truncated. */
	uint32_t max_stack;
	uint64_t stacks_truncated; /* stacks to which machine_stack() added [truncated] */
	/*
	 * Mappings that living processes copied from their parents. The accounting copies as many memory ranges. A fork
	 * beyond `max_copied`, or beyond what all forks together may copy, copies nothing and is counted in `forks_cut`.
	 */
	size_t copied, max_copied;
	uint64_t ever_copied, events; /* copies of those that ended too; events applied so far */
	uint64_t forks_cut;
	/* What the accounting of memory has cost so far: see page_map_take_steps() and replay_play(). */
	uint64_t memory_steps;
};

/* Some 10,000 processes with 200 mappings each; a damaged file may claim millions with any number. */
#define MACHINE_MAX_COPIED ((size_t)2 << 20)

/* The default of Linux's kernel.perf_event_max_stack. */
#define MACHINE_MAX_STACK 127

/*
 * `rows` are the recording's processes, or empty. A process of the trace is matched to the row with its pid and the nearest
 * start. If there is none, a row is added and tagged from the trace alone. Of rows that existed before, only an unknown
 * end is filled in. The list must not be sorted while the machine exists.
 */
void machine_init(struct machine *machine, struct process_list *rows);
void machine_release(struct machine *machine);

/*
 * Apply an event that changes processes, threads or mappings; others are ignored. A process that starts at or before 0
 * existed before the recording: the start in its row is unknown. A process ends with its last thread unless the trace has
 * an event for its end. It keeps its mappings for a while, for late samples.
 */
void machine_apply(struct machine *machine, const struct trace_event *event);

/*
 * The process or thread of an event. It is added if the trace has no start of it; all events of pid -1 belong to one
 * process, "[unknown]". A process that ended up to a second ago still has its pid, unless a new one took it. NULL for the
 * idle process.
 */
struct trace_process *machine_process(struct machine *machine, int64_t pid, int64_t time_ns);
struct trace_thread *machine_thread(struct machine *machine, const struct trace_event *event);

/* The thread of a process, added if the process never had one with the tid. */
struct trace_thread *machine_find_thread(struct machine *machine, struct trace_process *process,
					 int64_t tid);

/*
 * The frame of an address; FRAME_UNKNOWN if nothing is mapped there. `is_return`: it is a return address. `process` may be
 * NULL.
 */
uint32_t machine_frame(struct machine *machine, struct trace_process *process, uint64_t address,
		       bool kernel, bool is_return);

/* Whether the call chain has the maximum length, so that callers may be missing. */
bool machine_may_be_truncated(const struct machine *machine, const struct trace_stack *stack);

/*
 * The id of an event's stack; STACK_EMPTY if it has no frame. `copies` unwinds a stack copy. The root is [truncated] if a
 * stack copy does not reach the thread's start, or a call chain has `max_stack` frames. If `stack->kernel` is NULL, the
 * kernel part is left out but counts for the length. Fast for stacks that repeat, and for those that share callers with the
 * previous stack of the thread (`tid`).
 */
uint32_t machine_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack);

/*
 * The same as frames, which are not put into the table as a stack; they are valid until the next call. Stacks of a machine
 * are got in one of the two ways.
 */
struct stack_path machine_stack_path(struct machine *machine, struct trace_process *process,
				     int64_t tid, const struct trace_stack *stack);

/*
 * The first half of machine_stack(), for a stack without a copy: add its steps. The second half, stack_maker_next() with
 * the machine's `maker` and `stacks`, must follow before the next machine_stack() or stack_table_push().
 */
void machine_stack_steps(struct machine *machine, struct trace_process *process, int64_t tid,
			 const struct trace_stack *stack, struct stack_steps *steps);

/*
 * Add only the stack's frames to the table: for when no stack ids are needed. True: it has a copy, and `*id` is its stack.
 * False: `machine->steps` has its steps.
 */
bool machine_see_stack(struct machine *machine, struct trace_process *process, int64_t tid,
		       const struct trace_stack *stack, uint32_t *id);

#endif
