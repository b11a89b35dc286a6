#include "analysis/tally.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

void tally_init(struct tally *tally, struct machine *machine, struct grouping *grouping,
		struct ledger *ledger, const struct region_sink *sink)
{
	*tally = (struct tally){ .machine = machine, .grouping = grouping, .ledger = ledger };
	if (sink || ledger->lifetimes || grouping_by_lifetime(grouping))
		lives_follow(&tally->lives, ledger, sink);
	tally->sites = sites_new(machine, grouping, ledger, sink || grouping_by_lifetime(grouping));
}

static void release_stacks(struct tally_stacks *stacks)
{
	free(stacks->v);
	hash_index_release(&stacks->index);
}

void tally_release(struct tally *tally)
{
	sites_free(tally->sites);
	lives_release(&tally->lives);
	release_stacks(&tally->chains);
	release_stacks(&tally->unwound);
}

bool tally_advance(struct tally *tally, const struct trace_event *event)
{
	return ledger_advance(tally->ledger, event->time_ns) || tally->lives.on;
}

bool tally_begin(struct tally *tally, const struct trace_event *event)
{
	if (!tally_advance(tally, event))
		return false;
	grouping_update(tally->grouping, event);
	tally->lives.end = event->kind == TRACE_EXEC ? LIFE_EXEC : LIFE_EXIT;
	return true;
}

uint32_t tally_place(const struct tally *tally, const struct trace_event *event,
		     struct trace_process *process)
{
	const struct trace_thread *thread = NULL;

	if (grouping_needs_thread(tally->grouping))
		thread = machine_thread(tally->machine, event);
	return grouping_place(tally->grouping, process, thread);
}

static void count_event(struct tally_stacks *stacks, uint32_t stack)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &stacks->index, stack, i, stacks->v[i].stack == stack);
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)stacks->nr;
		ARRAY_ADD(stacks->v, stacks->nr, stacks->alloc,
			  (struct tally_stack){ .stack = stack });
		hash_index_add(&stacks->index, stack, at);
	}
	stacks->v[at].events++;
}

uint32_t tally_site(struct tally *tally, uint32_t place, struct trace_process *caller, uint32_t tid,
		    const struct trace_stack *stack)
{
	struct trace_stack user = *stack;
	uint32_t found = STACK_EMPTY, site;

	if (!grouping_by_stacks(tally->grouping) || place == GROUP_NONE)
		return sites_find(tally->sites, place, STACK_EMPTY);
	user.kernel = NULL;
	if (caller)
		found = machine_stack(tally->machine, caller, tid, &user);
	site = sites_find(tally->sites, place, found);
	if (site == GROUP_NONE || !ledger_inside(tally->ledger))
		return site;
	count_event(trace_stack_is_unwound(stack) ? &tally->unwound : &tally->chains, found);
	return site;
}

static void rate(struct stack_quality *quality, const struct machine *machine,
		 const struct tally_stacks *stacks, bool unwound)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		uint32_t events = stacks->v[i].events;

		stack_quality_add(quality, stack_end_of(machine, stacks->v[i].stack),
				  unwound ? 0 : events, unwound ? events : 0);
	}
}

void tally_rate_stacks(const struct tally *tally, struct function_table *functions,
		       struct stack_quality_result *result)
{
	struct stack_quality quality = { .nr = 0 };

	*result = (struct stack_quality_result){ .samples = 0 };
	if (!tally->chains.nr)
		return;
	rate(&quality, tally->machine, &tally->chains, false);
	rate(&quality, tally->machine, &tally->unwound, true);
	stack_quality_evaluate(&quality, tally->machine, functions, result);
	stack_quality_release(&quality);
}

void tally_lived(struct tally *tally, uint32_t site, int64_t bytes, const struct region *region)
{
	enum lifetime lifetime = region_lifetime(region);

	if (grouping_by_lifetime(tally->grouping))
		sites_lived(tally->sites, site, bytes, &region->life, lifetime);
	else if (tally->ledger->lifetimes && region->life.inside)
		ledger_lived_in(tally->ledger, sites_key(tally->sites, site), lifetime, bytes);
}
