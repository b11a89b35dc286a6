/*
 * Groupings of one dimension, or of stacks below a root, as most tests need them.
 */
#ifndef TESTS_UNIT_GROUPING_BY_H
#define TESTS_UNIT_GROUPING_BY_H

#include "analysis/group.h"

/* The kind of key without a root. */
#define NO_ROOT BY_STACK

static inline struct grouping *grouping_by_root(enum group_by by, enum group_by root,
						bool allocation, struct machine *machine,
						struct function_table *functions,
						const struct process_filter *filter)
{
	const struct grouping_spec spec = {
		.by = { by, root },
		.nr = root == NO_ROOT ? 1 : 2,
		.allocation = allocation,
		.processes = filter,
	};

	return grouping_new(&spec, machine, functions);
}

static inline struct grouping *grouping_by(enum group_by by, bool allocation,
					   struct machine *machine,
					   struct function_table *functions,
					   const struct process_filter *filter)
{
	return grouping_by_root(by, NO_ROOT, allocation, machine, functions, filter);
}

static inline uint32_t key_of(struct grouping *grouping, const struct trace_process *process,
			      const struct trace_thread *thread, uint32_t stack)
{
	return grouping_key(grouping, grouping_place(grouping, process, thread), stack);
}

/* The key of a grouping of one dimension, and its kind. */
static inline const struct group *only_group(const struct grouping *grouping, uint32_t key)
{
	return dimension_get(grouping_only(grouping), key);
}

static inline enum group_by only_kind(const struct grouping *grouping)
{
	return dimension_kind(grouping_only(grouping));
}

#endif
