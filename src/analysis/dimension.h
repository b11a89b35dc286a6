/*
 * One kind of key of a view (`--by`): processes, crates, functions, stacks, ... A view has one or two (group.h).
 */
#ifndef ANALYSIS_DIMENSION_H
#define ANALYSIS_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/stack_class.h"
#include "analysis/stack_tags.h"
#include "model/function.h"
#include "model/machine.h"

enum group_by {
	BY_PROCESS,
	BY_ROLE,
	BY_PART,
	BY_CRATE,
	BY_MODULE,
	BY_FUNCTION,
	BY_THREAD,
	BY_PHASE, /* by stack tags (stack_tags.h): the tag of the stack */
	BY_QUERY, /* of rustc (query_name.h): the innermost one on the stack */
	BY_STACK,
	BY_LIFETIME, /* of memory (lifetime.h): known when it ends */
	BY_HEAP,     /* of blocks of heaps: see dimension_set_heap() */
	BY_CALLS,    /* no dimension: a call tree, made from BY_STACK */
	BY_REGION,   /* no dimension: the regions of memory, with their BY_PROCESS and BY_STACK */
	/* Not for --by: a frame that is added at the root of each stack. */
	BY_IMAGE,
	BY_IMAGE_AND_CRATE,
	BY_THREAD_NAME,  /* at the time; of a thread without a name that of its program */
	BY_PROCESS_STEP, /* a process in a step of time: see dimension_set_step() */
};

/* The values of --by, in the enum's order; ends with NULL. */
extern const char *const group_by_names[];

/* Whether the keys are found by stacks, not by processes and threads. */
bool group_by_stacks(enum group_by by);

/* Of two kinds the one whose keys have totals, where both are found by stacks; else the one that is. */
enum group_by group_by_inner(const enum group_by *by, size_t nr);

/* No key: a filter leaves it out. */
#define GROUP_NONE UINT32_MAX

/* One key. Members that do not apply are NULL or 0. Those of one size are together, as there may be millions. */
struct group {
	const struct process *process;     /* BY_PROCESS, BY_THREAD, BY_HEAP, BY_PROCESS_STEP */
	const struct trace_thread *thread; /* BY_THREAD; NULL: unknown */
	/*
	 * BY_ROLE, BY_PART, BY_CRATE, BY_IMAGE, BY_IMAGE_AND_CRATE, BY_THREAD_NAME: its name; NULL: there is none.
	 * BY_PHASE, BY_QUERY: its name, or "[untagged]", "[no query]", "[not sampled]". BY_MODULE: "[truncated]" or
	 * "[not sampled]", which have no module. BY_LIFETIME: of lifetime_names.
	 */
	const char *text;
	uint64_t heap;     /* BY_HEAP: its handle */
	uint32_t step;     /* BY_PROCESS_STEP */
	uint32_t module;   /* BY_MODULE, BY_FUNCTION */
	uint32_t function; /* BY_FUNCTION: the first one of its module with its name */
	uint32_t stack;    /* BY_STACK: in dimension_names(); see dimension_add_frames() */
	/* BY_STACK of allocations: number of innermost functions that belong to the allocator; never all. */
	uint32_t allocator_frames;
	/* BY_STACK with dimension_split(): its classes, see dimension_class_name(). */
	uint32_t phase, query;
	bool whole; /* no frame has the key: it is of stacks as a whole */
};

struct dimension;

/* The keys of a frame, for totals. */
struct frame_keys {
	const uint32_t *v; /* valid until the next call of dimension_frame_keys() */
	size_t nr;
};

/*
 * `allocation`: the module and function of a stack are those of its innermost function outside the allocator (allocator.h);
 * else, or if there is no such function, those of the leaf. `tags`: of BY_PHASE, else NULL. The arguments are borrowed.
 */
struct dimension *dimension_new(enum group_by by, bool allocation, struct machine *machine,
				struct function_table *functions, const struct stack_tags *tags);
void dimension_free(struct dimension *dimension); /* accepts NULL */

/*
 * BY_STACK: stacks with equal names but of different phases or queries are different keys. Call it before keys are made;
 * `tags` is borrowed. dimension_stack_class(): the phase or query of a stack of the machine, as in group.phase and
 * group.query; dimension_class_name(): its name.
 */
void dimension_split(struct dimension *dimension, const struct stack_tags *tags);
uint32_t dimension_stack_class(struct dimension *dimension, enum stack_class_kind kind,
			       uint32_t stack);
const char *dimension_class_name(const struct dimension *dimension, enum stack_class_kind kind,
				 uint32_t stack_class);

/* BY_PROCESS_STEP: the step of the keys that are made from now on. */
void dimension_set_step(struct dimension *dimension, uint32_t step);

/* BY_HEAP: the handle of the heap, of the process that a key is made of next. */
void dimension_set_heap(struct dimension *dimension, uint64_t handle);

enum group_by dimension_kind(const struct dimension *dimension);

/*
 * The key of a process, or of a thread (NULL: one of the process that is unknown); of a stack, where STACK_EMPTY counts as
 * [truncated]. Keys are numbered 0, 1, 2, ... in the order of their first use; those of BY_LIFETIME are all there from the
 * start, enum lifetime.
 */
uint32_t dimension_process_key(struct dimension *dimension, const struct trace_process *process,
			       const struct trace_thread *thread);
uint32_t dimension_stack_key(struct dimension *dimension, uint32_t stack);

/* Whether keys are classes of whole stacks (stack_class.h), and whether dimension_frame_keys() finds any. */
bool dimension_has_classes(const struct dimension *dimension);
bool dimension_has_frame_keys(const struct dimension *dimension);

/*
 * BY_MODULE: one; BY_FUNCTION: one for each inlining level, the outermost first; BY_QUERY: those of the same that run one;
 * BY_PHASE: none. Not BY_STACK.
 */
struct frame_keys dimension_frame_keys(struct dimension *dimension, uint32_t frame);

/* The tags of a process have changed: from then on it has another key. */
void dimension_retag(struct dimension *dimension, const struct trace_process *process);

/* BY_STACK: find the names of the first `nr` stacks of the machine early, for speed. Keys are the same without it. */
void dimension_name_stacks(struct dimension *dimension, size_t nr);

/* BY_PHASE, BY_QUERY: the same for the classes of the first `nr` frames. */
void dimension_classify_frames(struct dimension *dimension, size_t nr);

/*
 * BY_STACK, but not of allocations: dimension_stack_key() in two steps. The name is a stack in dimension_names(); once all
 * have names, the stacks of the machine may be freed.
 */
uint32_t dimension_stack_name(struct dimension *dimension, uint32_t stack);
uint32_t dimension_name_key(struct dimension *dimension, uint32_t name);

size_t dimension_nr(const struct dimension *dimension);

/* The result is valid until the next new key. */
const struct group *dimension_get(const struct dimension *dimension, uint32_t key);

/* Free the indexes for finding keys, when no more keys are expected. Keys are still found, but slowly. */
void dimension_trim(struct dimension *dimension);

/* BY_STACK: the table of the stacks in group.stack. Their frames are names (function.name). */
const struct stack_table *dimension_names(const struct dimension *dimension);

/*
 * Append the names of the frames of a BY_STACK key, the outermost first. They are borrowed: strvec_forget() empties the
 * list.
 */
void dimension_add_frames(const struct dimension *dimension, const struct group *group,
			  struct strvec *frames);

/*
 * The stack, in dimension_names(), of a BY_STACK key of allocations without the frames of the allocator: its innermost
 * function asked for the memory.
 */
uint32_t dimension_asker(const struct dimension *dimension, const struct group *group);

#endif
