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

void tally_release(struct tally *tally)
{
	sites_free(tally->sites);
	lives_release(&tally->lives);
	free(tally->stacks);
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
	ARRAY_REACH(tally->stacks, (size_t)found + 1, tally->stacks_nr, tally->stacks_alloc);
	if (trace_stack_is_unwound(stack)) {
		tally->stacks[found].unwound++;
	} else {
		tally->stacks[found].chains++;
		tally->chains = true;
	}
	return site;
}

void tally_rate_stacks(const struct tally *tally, struct function_table *functions,
		       struct stack_quality_result *result)
{
	struct stack_quality quality = { .nr = 0 };
	struct stack_end *ends;

	*result = (struct stack_quality_result){ .samples = 0 };
	if (!tally->chains)
		return;
	ends = stack_ends_of_all(tally->machine);
	for (size_t i = 0; i < tally->stacks_nr; i++) {
		const struct tally_stack *stack = &tally->stacks[i];

		if (stack->chains || stack->unwound)
			stack_quality_add(&quality, ends[i], stack->chains, stack->unwound);
	}
	stack_quality_evaluate(&quality, tally->machine, functions, result);
	stack_quality_release(&quality);
	free(ends);
}

void tally_lived(struct tally *tally, uint32_t site, int64_t bytes, const struct region *region)
{
	enum lifetime lifetime = region_lifetime(region);

	if (grouping_by_lifetime(tally->grouping))
		sites_lived(tally->sites, site, bytes, &region->life, lifetime);
	else if (tally->ledger->lifetimes && region->life.inside)
		ledger_lived_in(tally->ledger, sites_key(tally->sites, site), lifetime, bytes);
}
