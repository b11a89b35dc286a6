/*
 * The keys of a view (`--by`): the process, crate, function, stack, ... that a sample or an allocation is counted for.
 */
#ifndef ANALYSIS_GROUP_H
#define ANALYSIS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/process_filter.h"
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
};

/* The values of --by, in the enum's order; ends with NULL. */
extern const char *const group_by_names[];

/* A frame that is added at the root of each stack; it is part of a BY_STACK key. */
enum group_root {
	ROOT_NONE,
	ROOT_PROCESS, /* the image of the process: "rustc" */
	ROOT_CRATE,   /* image and crate: "rustc rustc_middle" */
};

/* The values of --root, in the enum's order; ends with NULL. */
extern const char *const group_root_names[];

/* No key: the filter leaves the process out. */
#define GROUP_NONE UINT32_MAX

/* One key. Members that do not apply are NULL or 0. */
struct group {
	const struct process *process;     /* BY_PROCESS, BY_THREAD */
	const struct trace_thread *thread; /* BY_THREAD */
	/*
	 * BY_ROLE, BY_PART, BY_CRATE: its name; NULL: the process has none. BY_PHASE, BY_QUERY: its name, or
	 * "[untagged]", "[no query]", "[not sampled]". BY_STACK: the root, see grouping_set_root(). BY_MODULE:
	 * "[truncated]" or "[not sampled]", which have no module.
	 */
	const char *text;
	bool whole;        /* no frame has the key: it is of stacks as a whole */
	uint32_t module;   /* BY_MODULE, BY_FUNCTION */
	uint32_t function; /* BY_FUNCTION: the first one of its module with its name */
	uint32_t stack;    /* BY_STACK: in grouping_names(); see group_frames() */
	uint32_t root;     /* BY_STACK: equal for equal roots */
	/* BY_STACK of allocations: number of innermost functions that belong to the allocator; never all. */
	uint32_t allocator_frames;
};

struct grouping;

/*
 * The keys of a frame. BY_MODULE: one; BY_FUNCTION: one for each inlining level, the outermost first; BY_QUERY: those of
 * the same that run one; BY_PHASE: none.
 */
struct frame_keys {
	const uint32_t *v; /* valid until the next call of grouping_frame_keys() */
	size_t nr;
};

/*
 * `allocation`: the module and function of a stack are those of its innermost function outside the allocator (allocator.h);
 * else, or if there is no such function, those of the leaf. `filter` (may be NULL) selects processes; its time range is
 * ignored. The arguments are borrowed.
 */
struct grouping *grouping_new(enum group_by by, bool allocation, struct machine *machine,
			      struct function_table *functions,
			      const struct process_filter *filter);
void grouping_free(struct grouping *grouping);

/* BY_STACK: set the root, before any function that returns a key. group_frames() does not include the root. */
void grouping_set_root(struct grouping *grouping, enum group_root root);
bool grouping_has_roots(const struct grouping *grouping);

enum group_by grouping_kind(const struct grouping *grouping);

/* BY_PHASE: set the rules, before any function that returns a key. Borrowed. */
void grouping_set_tags(struct grouping *grouping, const struct stack_tags *tags);

/* Whether keys are found by stacks: BY_MODULE, BY_FUNCTION, BY_PHASE, BY_QUERY, BY_STACK. */
bool grouping_by_stacks(const struct grouping *grouping);

/*
 * The key of a process, thread and stack. Keys are numbered 0, 1, 2, ... in the order of their first use; GROUP_NONE:
 * the filter leaves the process out. `thread` may be NULL unless BY_THREAD. `stack` is used only if keys are found by
 * stacks; STACK_EMPTY counts as [truncated].
 */
uint32_t grouping_key(struct grouping *grouping, const struct trace_process *process,
		      const struct trace_thread *thread, uint32_t stack);

/*
 * If keys are found by stacks, ignoring the filter. grouping_key_same_root(): the key of another stack with the root
 * of `key`. grouping_stack_key(): the key of a stack if there are no roots. grouping_frame_keys(): the keys of a
 * frame, not BY_STACK.
 */
uint32_t grouping_key_same_root(struct grouping *grouping, uint32_t key, uint32_t stack);
uint32_t grouping_stack_key(struct grouping *grouping, uint32_t stack);
struct frame_keys grouping_frame_keys(struct grouping *grouping, uint32_t frame);

/* BY_STACK with roots: the root of a process that the filter lets through, and the key of a stack with that root. */
uint32_t grouping_root(struct grouping *grouping, const struct trace_process *process);
uint32_t grouping_rooted_key(struct grouping *grouping, uint32_t root, uint32_t stack);

/*
 * BY_STACK: find the names of the first `nr` stacks of the machine early, for speed. Names and keys are the same
 * without it.
 */
void grouping_name_stacks(struct grouping *grouping, size_t nr);

/* Whether the filter lets the process through. */
bool grouping_matches(struct grouping *grouping, const struct trace_process *process);

/*
 * Call it with each event, after machine_apply(). A process that is not in the run's list gets its tags from events,
 * and is counted by the new tags from then on.
 */
void grouping_update(struct grouping *grouping, const struct trace_event *event);

size_t grouping_nr(const struct grouping *grouping);

/* The result is valid until the next new key. */
const struct group *grouping_get(const struct grouping *grouping, uint32_t key);

/* Free the indexes for finding keys, when no more keys are expected. Keys are still found, but slowly. */
void grouping_trim(struct grouping *grouping);

/* BY_STACK: the table of the stacks in group.stack. Their frames are names (function.name). */
const struct stack_table *grouping_names(const struct grouping *grouping);

/* Append the names of the frames of a BY_STACK key, the outermost first. */
void group_frames(const struct grouping *grouping, const struct group *group,
		  struct strvec *frames);

#endif
