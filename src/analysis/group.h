/*
 * The keys of a view: what `--by` sorts samples and allocations into.
 */
#ifndef ANALYSIS_GROUP_H
#define ANALYSIS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/process_filter.h"
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
	BY_STACK,
};

/* The words of --by, in the enum's order; ends with NULL. */
extern const char *const group_by_names[];

/* What stands before the frames of a stack: keys of BY_STACK are told by it too. */
enum group_root {
	ROOT_NONE,
	ROOT_PROCESS, /* the image of the process */
	ROOT_CRATE,   /* and its crate: "rustc rustc_middle" */
};

/* The words of --root, in the enum's order; ends with NULL. */
extern const char *const group_root_names[];

/* What a process is left out by the filter. */
#define GROUP_NONE UINT32_MAX

/* One key. What does not apply is NULL or 0. */
struct group {
	const struct process *process;     /* BY_PROCESS, BY_THREAD */
	const struct trace_thread *thread; /* BY_THREAD */
	/*
	 * Role, part, crate; NULL: the process has none. BY_STACK: the root, see grouping_set_root(). BY_MODULE:
	 * "[truncated]" and "[not sampled]", which no module has; else NULL.
	 */
	const char *text;
	uint32_t module;   /* BY_MODULE, BY_FUNCTION */
	uint32_t function; /* BY_FUNCTION: the first one of its module with its name */
	uint32_t stack;    /* BY_STACK: in grouping_names(); see group_frames() */
	uint32_t root;     /* equal where `text` is */
	/* BY_STACK of allocations: how many of the innermost functions are the allocator's; never all. */
	uint32_t allocator_frames;
};

struct grouping;

/* The keys of a frame: by module its one, by function one for each level, the outermost first. */
struct frame_keys {
	const uint32_t *v; /* good until another frame's are asked for */
	size_t nr;
};

/*
 * `filter` (may be NULL) is borrowed, as are machine and functions; its time range is not looked at.
 * `allocation`: module and function are those of the innermost function outside of the allocator (allocator.h), or of
 * the leaf where there is none; else of the leaf.
 */
struct grouping *grouping_new(enum group_by by, bool allocation, struct machine *machine,
			      struct function_table *functions,
			      const struct process_filter *filter);
void grouping_free(struct grouping *grouping);

/* BY_STACK, before any key comes up. It is not among group_frames(). */
void grouping_set_root(struct grouping *grouping, enum group_root root);
bool grouping_has_roots(const struct grouping *grouping);

enum group_by grouping_kind(const struct grouping *grouping);

/* Whether keys are told by stacks: by module, function, stack. */
bool grouping_by_stacks(const struct grouping *grouping);

/*
 * Keys are 0, 1, 2, ... as they come up; GROUP_NONE where the filter leaves the process out. `thread` may be
 * NULL but for BY_THREAD; `stack` is looked at where keys are told by stacks, and is [truncated] where it is
 * STACK_EMPTY.
 */
uint32_t grouping_key(struct grouping *grouping, const struct trace_process *process,
		      const struct trace_thread *thread, uint32_t stack);

/*
 * The same where keys are told by stacks: for another stack, with the root of `key`. Where there are no roots,
 * by the stack alone, and (by module, function) by one of its frames. No filter is asked.
 */
uint32_t grouping_key_beside(struct grouping *grouping, uint32_t key, uint32_t stack);
uint32_t grouping_stack_key(struct grouping *grouping, uint32_t stack);
struct frame_keys grouping_frame_keys(struct grouping *grouping, uint32_t frame);

/* BY_STACK with roots: that of a process, which the filter lets through; and the key of a stack on it. */
uint32_t grouping_root(struct grouping *grouping, const struct trace_process *process);
uint32_t grouping_rooted_key(struct grouping *grouping, uint32_t root, uint32_t stack);

/*
 * BY_STACK: name the first `nr` stacks of the machine, ahead of their keys. They get the same names in any case.
 */
void grouping_name_stacks(struct grouping *grouping, size_t nr);

/* Whether the filter lets the process through. */
bool grouping_wants(struct grouping *grouping, const struct trace_process *process);

/*
 * An event went into the machine. Rows that only the trace knows get their tags as it goes on: what comes now
 * goes by the new one.
 */
void grouping_follow(struct grouping *grouping, const struct trace_event *event);

size_t grouping_nr(const struct grouping *grouping);

/* Good until a new key comes up. */
const struct group *grouping_get(const struct grouping *grouping, uint32_t key);

/* Give back what only finding keys needs, where no more are to come. Those that come nevertheless are found, slowly. */
void grouping_rest(struct grouping *grouping);

/* BY_STACK: stacks whose frames are names (function.name), since two addresses in one function are one line. */
const struct stack_table *grouping_names(const struct grouping *grouping);

/* Append the names of a BY_STACK key's frames, root first. */
void group_frames(const struct grouping *grouping, const struct group *group,
		  struct strvec *frames);

#endif
