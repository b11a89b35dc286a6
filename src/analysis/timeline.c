#include "analysis/timeline.h"

#include <stdlib.h>

#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/touched_account.h"
#include "util/alloc.h"
#include "util/wrap.h"

struct timeline {
	struct machine *machine;
	struct grouping *grouping;
	int64_t from_ns, step_ns;
	struct timeline_point *points;
	size_t nr;
	size_t at; /* the current step; nr: all are over */
	struct ledger ledger;
	struct memory_account *committed;
	struct touched_account *touched;
};

struct timeline *timeline_new(struct machine *machine, struct grouping *grouping,
			      enum timeline_memory memory, int64_t from_ns, int64_t step_ns,
			      size_t nr)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->machine = machine;
	timeline->grouping = grouping;
	timeline->from_ns = from_ns;
	timeline->step_ns = step_ns;
	timeline->nr = nr;
	timeline->points = xcalloc(nr, sizeof(*timeline->points));
	for (size_t i = 0; i < nr; i++) {
		timeline->points[i].start_ns = from_ns + (int64_t)i * step_ns;
		timeline->points[i].key = GROUP_NONE;
	}
	ledger_init(&timeline->ledger, INT64_MIN, INT64_MAX, LEDGER_AT_END);
	if (memory == TIMELINE_COMMITTED)
		timeline->committed =
			memory_account_new(machine, grouping, &timeline->ledger, NULL);
	if (memory == TIMELINE_TOUCHED)
		timeline->touched = touched_account_new(machine, grouping, &timeline->ledger, NULL);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	memory_account_free(timeline->committed);
	touched_account_free(timeline->touched);
	ledger_release(&timeline->ledger);
	free(timeline->points);
	free(timeline);
}

static void finish_step(struct timeline *timeline)
{
	struct timeline_point *point = &timeline->points[timeline->at++];
	const struct ledger *ledger = &timeline->ledger;

	point->bytes = ledger->total.peak;
	point->bytes_ns = point->start_ns;
	if (point->bytes && ledger->total.peak_ns > point->start_ns)
		point->bytes_ns = ledger->total.peak_ns;
	for (uint32_t key = 0; key < ledger->keys_nr; key++) {
		int64_t held = ledger_held_at_own_peak(ledger, key);

		if (held > point->key_bytes) {
			point->key_bytes = held;
			point->key = key;
		}
	}
	ledger_restart_own_peak(&timeline->ledger);
}

/* What was held before the first step is its first peak. */
static void advance(struct timeline *timeline, int64_t time_ns)
{
	if (!timeline->at && time_ns >= timeline->from_ns &&
	    timeline->ledger.now_ns < timeline->from_ns)
		ledger_restart_own_peak(&timeline->ledger);
	while (timeline->at < timeline->nr &&
	       time_ns >= timeline->points[timeline->at].start_ns + timeline->step_ns)
		finish_step(timeline);
}

static void add_sample(struct timeline *timeline, const struct trace_event *event)
{
	struct trace_process *process;

	if (event->time_ns < timeline->from_ns || event->cpu_sample.stack_only)
		return;
	process = machine_process(timeline->machine, event->pid, event->time_ns);
	if (process && grouping_place(timeline->grouping, process,
				      grouping_needs_thread(timeline->grouping)
					      ? machine_thread(timeline->machine, event)
					      : NULL) != GROUP_NONE)
		wrap_add_to(&timeline->points[timeline->at].cpu_ns, event->cpu_sample.weight_ns);
}

bool timeline_apply(struct timeline *timeline, const struct trace_event *event)
{
	advance(timeline, event->time_ns);
	if (timeline->at == timeline->nr)
		return false;
	if (timeline->committed)
		memory_account_apply(timeline->committed, event);
	else if (timeline->touched)
		touched_account_apply(timeline->touched, event);
	else
		grouping_update(timeline->grouping, event);
	if (event->kind == TRACE_CPU)
		add_sample(timeline, event);
	return true;
}

const struct timeline_point *timeline_finish(struct timeline *timeline)
{
	advance(timeline, timeline->points[0].start_ns);
	while (timeline->at < timeline->nr)
		finish_step(timeline);
	return timeline->points;
}
