#include "analysis/group.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

struct pair {
	uint32_t first, second;
};

enum verdict { UNKNOWN, WANTED, UNWANTED };

struct grouping {
	struct machine *machine;
	/* Those that are found by processes come first. */
	struct dimension *dimensions[GROUP_DIMENSIONS];
	size_t nr;
	size_t plain;               /* number of those that are found by processes */
	struct dimension *lifetime; /* BY_LIFETIME, not among the others; NULL: there is none */
	bool filtered;
	bool filters_threads, needs_thread;
	struct process_filter filter; /* its names are borrowed */
	uint8_t *verdicts;            /* of processes: enum verdict */
	size_t verdicts_nr;
	struct stack_matcher *matcher; /* NULL: all stacks pass */
	/* Of two dimensions, by key; if both are plain, by place. The lifetime comes second. */
	struct pair *pairs;
	size_t pairs_nr, pairs_alloc;
	struct intmap keys; /* of pairs: plus one */
};

static void add_dimension(struct grouping *grouping, enum group_by by,
			  const struct grouping_spec *spec, struct function_table *functions)
{
	struct dimension *dimension =
		dimension_new(by, spec->allocation, grouping->machine, functions, spec->tags);

	if (by == BY_STACK && spec->split)
		dimension_split(dimension, spec->tags);
	if (by == BY_LIFETIME)
		grouping->lifetime = dimension;
	else
		grouping->dimensions[grouping->nr++] = dimension;
}

struct grouping *grouping_new(const struct grouping_spec *spec, struct machine *machine,
			      struct function_table *functions)
{
	struct grouping *grouping = xcalloc(1, sizeof(*grouping));
	size_t nr = spec->nr ? spec->nr : 1;

	grouping->machine = machine;
	for (size_t i = 0; i < nr; i++) {
		if (!group_by_stacks(spec->by[i]))
			add_dimension(grouping, spec->by[i], spec, functions);
	}
	grouping->plain = grouping->nr;
	for (size_t i = 0; i < nr; i++) {
		/* In an order of their own, so that totals do not depend on that of the keys. */
		size_t at = nr > 1 && group_by_inner(spec->by, nr) == spec->by[0] ? nr - 1 - i : i;

		if (group_by_stacks(spec->by[at]))
			add_dimension(grouping, spec->by[at], spec, functions);
	}
	grouping->filtered = spec->processes;
	if (spec->processes)
		grouping->filter = *spec->processes;
	grouping->filter.from_ns = INT64_MIN;
	grouping->filter.to_ns = INT64_MAX;
	grouping->filters_threads = grouping->filtered && (grouping->filter.threads.nr ||
							   grouping->filter.not_threads.nr);
	grouping->needs_thread = grouping->filters_threads ||
				 grouping_dimension(grouping, BY_THREAD) ||
				 grouping_dimension(grouping, BY_THREAD_NAME);
	if (spec->stacks && !stack_filter_is_empty(spec->stacks))
		grouping->matcher = stack_matcher_new(spec->stacks, machine, functions, spec->tags);
	return grouping;
}

void grouping_free(struct grouping *grouping)
{
	if (!grouping)
		return;
	for (size_t i = 0; i < grouping->nr; i++)
		dimension_free(grouping->dimensions[i]);
	dimension_free(grouping->lifetime);
	stack_matcher_free(grouping->matcher);
	free(grouping->verdicts);
	free(grouping->pairs);
	intmap_release(&grouping->keys);
	free(grouping);
}

bool grouping_by_stacks(const struct grouping *grouping)
{
	return grouping->plain < grouping->nr || grouping->matcher;
}

bool grouping_filters_stacks(const struct grouping *grouping)
{
	return grouping->matcher;
}

bool grouping_has_places(const struct grouping *grouping)
{
	return grouping->plain;
}

bool grouping_needs_thread(const struct grouping *grouping)
{
	return grouping->needs_thread;
}

bool grouping_wants(struct grouping *grouping, const struct trace_process *process)
{
	uint8_t *verdict;

	if (!grouping->filtered)
		return true;
	ARRAY_GROW_ZERO(grouping->verdicts, process->index + 1, grouping->verdicts_nr);
	verdict = &grouping->verdicts[process->index];
	if (*verdict == UNKNOWN)
		*verdict = process_filter_match(&grouping->filter,
						grouping->machine->rows->v[process->row])
				   ? WANTED
				   : UNWANTED;
	return *verdict == WANTED;
}

static uint32_t pair_key(struct grouping *grouping, uint32_t first, uint32_t second)
{
	int64_t both = (int64_t)((uint64_t)first << 32 | second);
	uintptr_t key = (uintptr_t)intmap_get(&grouping->keys, both);

	if (!key) {
		ARRAY_ADD(grouping->pairs, grouping->pairs_nr, grouping->pairs_alloc,
			  (struct pair){ first, second });
		key = grouping->pairs_nr;
		intmap_put(&grouping->keys, both, (void *)key);
	}
	return (uint32_t)(key - 1);
}

uint32_t grouping_place(struct grouping *grouping, const struct trace_process *process,
			const struct trace_thread *thread)
{
	uint32_t keys[GROUP_DIMENSIONS] = { 0, 0 };

	if (!grouping_wants(grouping, process) ||
	    (grouping->filters_threads &&
	     !process_filter_match_thread(&grouping->filter, thread ? thread->tid : -1,
					  thread ? thread->name : NULL)))
		return GROUP_NONE;
	for (size_t i = 0; i < grouping->plain; i++)
		keys[i] = dimension_process_key(grouping->dimensions[i], process, thread);
	return grouping->plain > 1 ? pair_key(grouping, keys[0], keys[1]) : keys[0];
}

bool grouping_passes(struct grouping *grouping, uint32_t stack)
{
	return !grouping->matcher || stack_matcher_passes(grouping->matcher, stack);
}

void grouping_explain(const struct grouping *grouping, struct strbuf *notes)
{
	if (grouping->matcher)
		stack_matcher_explain(grouping->matcher, notes);
}

struct dimension *grouping_only(const struct grouping *grouping)
{
	if (grouping->lifetime)
		return grouping->nr ? NULL : grouping->lifetime;
	return grouping->nr == 1 ? grouping->dimensions[0] : NULL;
}

struct dimension *grouping_inner(const struct grouping *grouping)
{
	return grouping->plain < grouping->nr ? grouping->dimensions[grouping->nr - 1] : NULL;
}

uint32_t grouping_outer(struct grouping *grouping, uint32_t place, uint32_t stack)
{
	if (grouping->nr > 1 && !grouping->plain)
		return dimension_stack_key(grouping->dimensions[0], stack);
	return place;
}

uint32_t grouping_join(struct grouping *grouping, uint32_t outer, uint32_t inner)
{
	return grouping->nr > 1 ? pair_key(grouping, outer, inner) : inner;
}

uint32_t grouping_key(struct grouping *grouping, uint32_t place, uint32_t stack)
{
	struct dimension *inner = grouping_inner(grouping);

	if (place == GROUP_NONE || !grouping_passes(grouping, stack))
		return GROUP_NONE;
	if (!inner)
		return place;
	if (grouping->nr == 1)
		return dimension_stack_key(inner, stack);
	return pair_key(grouping, grouping_outer(grouping, place, stack),
			dimension_stack_key(inner, stack));
}

uint32_t grouping_place_of(const struct grouping *grouping, uint32_t key)
{
	if (!grouping->plain)
		return 0;
	return grouping->plain < grouping->nr ? grouping->pairs[key].first : key;
}

void grouping_update(struct grouping *grouping, const struct trace_event *event)
{
	const struct trace_process *process;

	if (event->kind != TRACE_EXEC && event->kind != TRACE_MAP &&
	    event->kind != TRACE_THREAD_NAME)
		return;
	if (event->kind == TRACE_MAP && event->map.kernel)
		return;
	process = machine_process(grouping->machine, event->pid, event->time_ns);
	if (!process || process->known)
		return;
	if (process->index < grouping->verdicts_nr)
		grouping->verdicts[process->index] = UNKNOWN;
	for (size_t i = 0; i < grouping->plain; i++)
		dimension_retag(grouping->dimensions[i], process);
}

bool grouping_by_lifetime(const struct grouping *grouping)
{
	return grouping->lifetime;
}

uint32_t grouping_lived_key(struct grouping *grouping, uint32_t key, enum lifetime lifetime)
{
	return grouping->nr ? pair_key(grouping, key, lifetime) : lifetime;
}

enum lifetime grouping_lifetime(const struct grouping *grouping, uint32_t key)
{
	return (enum lifetime)(grouping->nr ? grouping->pairs[key].second : key);
}

void grouping_set_step(struct grouping *grouping, uint32_t step)
{
	for (size_t i = 0; i < grouping->plain; i++) {
		if (dimension_kind(grouping->dimensions[i]) == BY_PROCESS_STEP)
			dimension_set_step(grouping->dimensions[i], step);
	}
}

void grouping_set_heap(struct grouping *grouping, uint64_t handle)
{
	for (size_t i = 0; i < grouping->plain; i++) {
		if (dimension_kind(grouping->dimensions[i]) == BY_HEAP)
			dimension_set_heap(grouping->dimensions[i], handle);
	}
}

size_t grouping_nr(const struct grouping *grouping)
{
	if (grouping->lifetime)
		return grouping->nr ? grouping->pairs_nr : dimension_nr(grouping->lifetime);
	return grouping->nr > 1 ? grouping->pairs_nr : dimension_nr(grouping->dimensions[0]);
}

const struct group *grouping_part(const struct grouping *grouping, uint32_t key, enum group_by by)
{
	if (grouping->lifetime && by == BY_LIFETIME)
		return dimension_get(grouping->lifetime, grouping_lifetime(grouping, key));
	for (size_t i = 0; i < grouping->nr; i++) {
		if (dimension_kind(grouping->dimensions[i]) != by)
			continue;
		if (grouping->lifetime)
			key = grouping->pairs[key].first;
		else if (grouping->nr > 1)
			key = i ? grouping->pairs[key].second : grouping->pairs[key].first;
		return dimension_get(grouping->dimensions[i], key);
	}
	return NULL;
}

const struct group *grouping_place_part(const struct grouping *grouping, uint32_t place,
					enum group_by by)
{
	for (size_t i = 0; i < grouping->plain; i++) {
		if (dimension_kind(grouping->dimensions[i]) != by)
			continue;
		if (grouping->plain > 1)
			place = i ? grouping->pairs[place].second : grouping->pairs[place].first;
		return dimension_get(grouping->dimensions[i], place);
	}
	return NULL;
}

struct dimension *grouping_dimension(const struct grouping *grouping, enum group_by by)
{
	if (by == BY_LIFETIME)
		return grouping->lifetime;
	for (size_t i = 0; i < grouping->nr; i++) {
		if (dimension_kind(grouping->dimensions[i]) == by)
			return grouping->dimensions[i];
	}
	return NULL;
}
