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

/* What a process is left out by the filter. */
#define GROUP_NONE UINT32_MAX

/* One key. What does not apply is NULL or 0. */
struct group {
	const struct process *process;     /* BY_PROCESS, BY_THREAD */
	const struct trace_thread *thread; /* BY_THREAD */
	const char *text;                  /* role, part, crate; NULL: the process has none */
	uint32_t module;                   /* BY_MODULE, BY_FUNCTION */
	uint32_t function;                 /* BY_FUNCTION */
	uint32_t
		stack; /* BY_STACK: in the grouping's own table, whose frames are names; see group_frames() */
};

struct grouping;

/*
 * `filter` (may be NULL) is borrowed, as are machine and functions; its time range is not looked at.
 * `allocation`: module and function are of the innermost frame outside of the allocator (allocator.h), else
 * of the leaf.
 */
struct grouping *grouping_new(enum group_by by, bool allocation, struct machine *machine,
			      struct function_table *functions,
			      const struct process_filter *filter);
void grouping_free(struct grouping *grouping);

/* Keys are 0, 1, 2, ... as they come up. `thread` may be NULL but for BY_THREAD. */
uint32_t grouping_key(struct grouping *grouping, const struct trace_process *process,
		      const struct trace_thread *thread, uint32_t stack);

/* Whether the filter lets the process through. */
bool grouping_wants(struct grouping *grouping, const struct trace_process *process);

size_t grouping_nr(const struct grouping *grouping);
const struct group *grouping_get(const struct grouping *grouping, uint32_t key);

/* Append the names of a BY_STACK key's frames, root first. Borrowed strings. */
void group_frames(const struct grouping *grouping, const struct group *group,
		  struct strvec *frames);

#endif
