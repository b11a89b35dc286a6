/*
 * The keys of a view: what a sample or an allocation is counted for. A key is that of one dimension (`--by crate`), or of a
 * pair of two (`--by crate,phase`).
 *
 * What is known of a process and a thread when an event happens, whether the filter lets them through and the keys of
 * dimensions that are found by them, is a place. A key follows from the place and the stack.
 *
 * Lifetimes are known when memory ends. With BY_LIFETIME keys of places and stacks are those of the other dimension, or 0;
 * grouping_lived_key() makes them keys of the view.
 */
#ifndef ANALYSIS_GROUP_H
#define ANALYSIS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/dimension.h"
#include "analysis/lifetime.h"
#include "analysis/process_filter.h"
#include "analysis/stack_filter.h"
#include "model/function.h"
#include "model/machine.h"

#define GROUP_DIMENSIONS 2

/* What keys are made of. Of two dimensions one may be BY_STACK, and they differ. */
struct grouping_spec {
	enum group_by by[GROUP_DIMENSIONS];
	size_t nr;                     /* of `by`; 0 is 1 */
	bool allocation;               /* dimension.h */
	const struct stack_tags *tags; /* of BY_PHASE, a filter by phases and `split`, else NULL */
	bool split;                    /* BY_STACK: see dimension_split() */
	const struct process_filter *processes; /* may be NULL; its time range is ignored */
	const struct stack_filter *stacks;      /* may be NULL */
};

struct grouping;

/* The arguments are borrowed, but `spec` itself is not. */
struct grouping *grouping_new(const struct grouping_spec *spec, struct machine *machine,
			      struct function_table *functions);
void grouping_free(struct grouping *grouping);

/* Whether stacks decide: a dimension is found by them, or they are filtered. */
bool grouping_by_stacks(const struct grouping *grouping);

/* Whether stacks are filtered. */
bool grouping_filters_stacks(const struct grouping *grouping);

/* Whether keys depend on places; else all places are 0. */
bool grouping_has_places(const struct grouping *grouping);

/*
 * The place of a process and a thread (NULL unless grouping_needs_thread()); GROUP_NONE: the filter leaves them out.
 * Places are small numbers.
 */
uint32_t grouping_place(struct grouping *grouping, const struct trace_process *process,
			const struct trace_thread *thread);
bool grouping_needs_thread(const struct grouping *grouping);

/* Whether the filter lets the process through, whatever the thread. */
bool grouping_wants(struct grouping *grouping, const struct trace_process *process);

/*
 * The key of a stack at a place; GROUP_NONE: the filter leaves it out. Keys are numbered 0, 1, 2, ... in the order of their
 * first use. The stack matters only if grouping_by_stacks(); STACK_EMPTY counts as [truncated]. grouping_place_of(): the
 * place of a key.
 */
uint32_t grouping_key(struct grouping *grouping, uint32_t place, uint32_t stack);
uint32_t grouping_place_of(const struct grouping *grouping, uint32_t key);

/* Whether one of the dimensions is BY_LIFETIME; the key of the view of a key and a lifetime; the lifetime of such a key. */
bool grouping_by_lifetime(const struct grouping *grouping);
uint32_t grouping_lived_key(struct grouping *grouping, uint32_t key, enum lifetime lifetime);
enum lifetime grouping_lifetime(const struct grouping *grouping, uint32_t key);

/* Append a line for each pattern of the filter of stacks that nothing matched. */
void grouping_explain(const struct grouping *grouping, struct strbuf *notes);

/* Whether the filter lets a stack through. */
bool grouping_passes(struct grouping *grouping, uint32_t stack);

/* The dimension; NULL: there are two. */
struct dimension *grouping_only(const struct grouping *grouping);

/*
 * For totals: the inner dimension is the last one that is found by stacks (NULL: there is none), and the outer key the
 * rest: 0 if there is nothing else. grouping_join() makes them one key again.
 */
struct dimension *grouping_inner(const struct grouping *grouping);
uint32_t grouping_outer(struct grouping *grouping, uint32_t place, uint32_t stack);
uint32_t grouping_join(struct grouping *grouping, uint32_t outer, uint32_t inner);

/*
 * Call it with each event, after machine_apply(). A process that is not in the run's list gets its tags from events,
 * and is counted by the new tags from then on.
 */
void grouping_update(struct grouping *grouping, const struct trace_event *event);

/* See dimension_set_step() and dimension_set_heap(). */
void grouping_set_step(struct grouping *grouping, uint32_t step);
void grouping_set_heap(struct grouping *grouping, uint64_t handle);

size_t grouping_nr(const struct grouping *grouping);

/* The part of a key that is of the dimension `by`; NULL: there is no such dimension. Valid until the next new key. */
const struct group *grouping_part(const struct grouping *grouping, uint32_t key, enum group_by by);

/* The same of a place. */
const struct group *grouping_place_part(const struct grouping *grouping, uint32_t place,
					enum group_by by);

/* The dimension of this kind; NULL: there is none. */
struct dimension *grouping_dimension(const struct grouping *grouping, enum group_by by);

#endif
