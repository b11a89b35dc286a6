#include "analysis/tally.h"

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

void tally_lived(struct tally *tally, uint32_t site, int64_t bytes, const struct region *region)
{
	enum lifetime lifetime = region_lifetime(region);

	if (grouping_by_lifetime(tally->grouping))
		sites_lived(tally->sites, site, bytes, &region->life, lifetime);
	else if (tally->ledger->lifetimes && region->life.inside)
		ledger_lived_in(tally->ledger, sites_key(tally->sites, site), lifetime, bytes);
}
