#include "analysis/timeline.h"

#include <stdlib.h>

#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/touched_account.h"
#include "util/array.h"
#include "util/wrap.h"

struct timeline {
	struct timeline_options options;
	struct timeline_point *points;
	size_t at; /* the current step; options.nr: all are over */
	struct ledger ledgers[TIMELINE_MEMORIES];
	struct memory_account *committed;
	struct touched_account *touched;
	struct timeline_keys keys;
	int64_t *left[TIMELINE_MEMORIES]; /* by key: what its last point has */
	size_t left_nr[TIMELINE_MEMORIES];
	int64_t *cpu; /* by key, in the current step */
	size_t cpu_nr;
	int64_t samples, sampled_ns;
	bool started;
};

struct timeline *timeline_new(const struct timeline_options *options)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	struct ledger *ledgers = timeline->ledgers;

	timeline->options = *options;
	timeline->points = xcalloc(options->nr, sizeof(*timeline->points));
	for (size_t i = 0; i < options->nr; i++) {
		struct timeline_point *point = &timeline->points[i];

		point->start_ns = options->from_ns + (int64_t)i * options->step_ns;
		for (int kind = 0; kind < TIMELINE_MEMORIES; kind++)
			point->held[kind].key = GROUP_NONE;
	}
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++)
		ledger_init(&ledgers[kind], INT64_MIN, INT64_MAX, LEDGER_AT_END);
	if (options->memory[TIMELINE_COMMITTED])
		timeline->committed = memory_account_new(options->machine, options->grouping,
							 &ledgers[TIMELINE_COMMITTED], NULL);
	if (options->memory[TIMELINE_TOUCHED])
		timeline->touched = touched_account_new(options->machine, options->grouping,
							&ledgers[TIMELINE_TOUCHED], NULL);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	memory_account_free(timeline->committed);
	touched_account_free(timeline->touched);
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
		ledger_release(&timeline->ledgers[kind]);
		free(timeline->keys.held[kind]);
		free(timeline->left[kind]);
	}
	free(timeline->keys.cpu);
	free(timeline->cpu);
	free(timeline->points);
	free(timeline);
}

/* The moment of the highest value of a step. */
static int64_t moment_of(const struct timeline_point *point, const struct ledger_entry *entry)
{
	return entry->peak && entry->peak_ns > point->start_ns ? entry->peak_ns : point->start_ns;
}

/* A key whose memory did not change in the step needs no point. */
static void keep_key(struct timeline *timeline, int kind, uint32_t key)
{
	const struct ledger_entry *entry = &timeline->ledgers[kind].keys[key];
	struct timeline_keys *keys = &timeline->keys;
	int64_t *left;

	ARRAY_GROW_ZERO(timeline->left[kind], (size_t)key + 1, timeline->left_nr[kind]);
	left = &timeline->left[kind][key];
	if (entry->peak == *left && entry->outstanding == *left)
		return;
	*left = entry->outstanding;
	ARRAY_ADD(keys->held[kind], keys->held_nr[kind], keys->held_alloc[kind],
		  (struct timeline_key_held){
			  .key = key,
			  .step = (uint32_t)timeline->at,
			  .bytes = entry->peak,
			  .bytes_ns = moment_of(&timeline->points[timeline->at], entry),
			  .left = entry->outstanding,
		  });
}

static void finish_memory(struct timeline *timeline, int kind)
{
	struct timeline_point *point = &timeline->points[timeline->at];
	struct timeline_held *held = &point->held[kind];
	struct ledger *ledger = &timeline->ledgers[kind];

	held->bytes = ledger->total.peak;
	held->bytes_ns = moment_of(point, &ledger->total);
	for (uint32_t key = 0; key < ledger->keys_nr; key++) {
		int64_t bytes = ledger_held_at_own_peak(ledger, key);

		if (bytes > held->key_bytes) {
			held->key_bytes = bytes;
			held->key = key;
		}
		if (timeline->options.keys)
			keep_key(timeline, kind, key);
	}
	ledger_restart_peaks(ledger);
}

static void finish_cpu(struct timeline *timeline)
{
	struct timeline_keys *keys = &timeline->keys;

	for (uint32_t key = 0; key < timeline->cpu_nr; key++) {
		if (timeline->cpu[key])
			ARRAY_ADD(keys->cpu, keys->cpu_nr, keys->cpu_alloc,
				  (struct timeline_key_cpu){ key, (uint32_t)timeline->at,
							     timeline->cpu[key] });
		timeline->cpu[key] = 0;
	}
}

static void finish_step(struct timeline *timeline)
{
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
		if (timeline->options.memory[kind])
			finish_memory(timeline, kind);
		else
			timeline->points[timeline->at].held[kind].bytes_ns =
				timeline->points[timeline->at].start_ns;
	}
	finish_cpu(timeline);
	timeline->at++;
}

/* What was held before the first step is its first peak. */
static void advance(struct timeline *timeline, int64_t time_ns)
{
	const struct timeline_options *options = &timeline->options;

	if (!timeline->started && time_ns >= options->from_ns) {
		timeline->started = true;
		for (int kind = 0; kind < TIMELINE_MEMORIES; kind++)
			ledger_restart_peaks(&timeline->ledgers[kind]);
	}
	while (timeline->at < options->nr &&
	       time_ns >= timeline->points[timeline->at].start_ns + options->step_ns)
		finish_step(timeline);
}

static void add_sample(struct timeline *timeline, const struct trace_event *event)
{
	const struct timeline_options *options = &timeline->options;
	struct grouping *grouping = options->cpu;
	uint32_t place, stack = STACK_EMPTY, key;
	struct trace_process *process;

	if (event->time_ns < options->from_ns || event->cpu_sample.stack_only)
		return;
	process = machine_process(options->machine, event->pid, event->time_ns);
	if (!process)
		return;
	place = grouping_place(
		grouping, process,
		grouping_needs_thread(grouping) ? machine_thread(options->machine, event) : NULL);
	if (place == GROUP_NONE)
		return;
	wrap_add_to(&timeline->points[timeline->at].cpu_ns, event->cpu_sample.weight_ns);
	wrap_add_to(&timeline->sampled_ns, event->cpu_sample.weight_ns);
	timeline->samples++;
	if (!options->keys)
		return;
	if (grouping_by_stacks(grouping))
		stack = machine_stack(options->machine, process, event->tid,
				      &event->cpu_sample.stack);
	key = grouping_key(grouping, place, stack);
	ARRAY_GROW_ZERO(timeline->cpu, (size_t)key + 1, timeline->cpu_nr);
	wrap_add_to(&timeline->cpu[key], event->cpu_sample.weight_ns);
}

bool timeline_apply(struct timeline *timeline, const struct trace_event *event)
{
	const struct timeline_options *options = &timeline->options;

	advance(timeline, event->time_ns);
	if (timeline->at == options->nr)
		return false;
	if (timeline->committed)
		memory_account_apply(timeline->committed, event);
	if (timeline->touched)
		touched_account_apply(timeline->touched, event);
	if (options->cpu != options->grouping || (!timeline->committed && !timeline->touched))
		grouping_update(options->cpu, event);
	if (event->kind == TRACE_CPU)
		add_sample(timeline, event);
	return true;
}

static int compare_held(const void *a, const void *b)
{
	const struct timeline_key_held *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static int compare_cpu(const void *a, const void *b)
{
	const struct timeline_key_cpu *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

const struct timeline_point *timeline_finish(struct timeline *timeline)
{
	struct timeline_keys *keys = &timeline->keys;

	advance(timeline, timeline->points[0].start_ns);
	while (timeline->at < timeline->options.nr)
		finish_step(timeline);
	for (int kind = 0; kind < TIMELINE_MEMORIES; kind++) {
		if (keys->held_nr[kind])
			qsort(keys->held[kind], keys->held_nr[kind], sizeof(**keys->held),
			      compare_held);
	}
	if (keys->cpu_nr)
		qsort(keys->cpu, keys->cpu_nr, sizeof(*keys->cpu), compare_cpu);
	return timeline->points;
}

const struct timeline_keys *timeline_keys(const struct timeline *timeline)
{
	return &timeline->keys;
}

int64_t timeline_sample_ns(const struct timeline *timeline)
{
	return timeline->samples ? timeline->sampled_ns / timeline->samples : 0;
}
