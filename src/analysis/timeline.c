#include "analysis/timeline.h"

#include <stdlib.h>

#include "analysis/cpu_stacks.h"
#include "analysis/ledger.h"
#include "analysis/memory_account.h"
#include "analysis/touched_account.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

/* Where a sample counts: a place of the grouping in a step. */
struct spot {
	uint32_t place, step;
};

/*
 * Samples whose stack is known. Their keys are found at the end, with the functions of all frames: a trace is read faster
 * without them, and a completed stack has callers that were seen later.
 */
struct stack_samples {
	uint32_t spot, stack;
	int64_t ns;
};

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
	struct cpu_stacks *stacks; /* NULL: keys of CPU time are not found by stacks */
	struct spot *spots;
	size_t spots_nr, spots_alloc;
	struct intmap spot_of; /* by place and step: plus one */
	struct stack_samples *taken;
	size_t taken_nr, taken_alloc;
};

static completer_fn take_samples;

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
	if (options->keys && grouping_by_stacks(options->cpu))
		timeline->stacks =
			cpu_stacks_new(options->machine, options->complete, take_samples, timeline);
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
	cpu_stacks_free(timeline->stacks);
	intmap_release(&timeline->spot_of);
	free(timeline->spots);
	free(timeline->taken);
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

static void finish_cpu(struct timeline *timeline, size_t step)
{
	struct timeline_keys *keys = &timeline->keys;

	for (uint32_t key = 0; key < timeline->cpu_nr; key++) {
		if (timeline->cpu[key])
			ARRAY_ADD(keys->cpu, keys->cpu_nr, keys->cpu_alloc,
				  (struct timeline_key_cpu){ key, (uint32_t)step,
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
	finish_cpu(timeline, timeline->at);
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

static bool is_inside(const struct timeline *timeline, const struct trace_event *event)
{
	return timeline->at < timeline->options.nr && event->time_ns >= timeline->options.from_ns &&
	       event->time_ns < timeline->options.to_ns;
}

/* The process of a sample, and its place, GROUP_NONE if it does not count; NULL: it has none. */
static struct trace_process *find_process(const struct timeline *timeline,
					  const struct trace_event *event, uint32_t *place)
{
	const struct timeline_options *options = &timeline->options;
	struct trace_process *process =
		machine_process(options->machine, event->pid, event->time_ns);
	const struct trace_thread *thread = NULL;

	*place = GROUP_NONE;
	if (!process || event->cpu_sample.stack_only || !is_inside(timeline, event))
		return process;
	if (grouping_needs_thread(options->cpu))
		thread = machine_thread(options->machine, event);
	*place = grouping_place(options->cpu, process, thread);
	return process;
}

static void count_sample(struct timeline *timeline, int64_t ns)
{
	wrap_add_to(&timeline->points[timeline->at].cpu_ns, ns);
	wrap_add_to(&timeline->sampled_ns, ns);
	timeline->samples++;
}

static void add_to_key(struct timeline *timeline, uint32_t key, int64_t ns)
{
	ARRAY_GROW_ZERO(timeline->cpu, (size_t)key + 1, timeline->cpu_nr);
	wrap_add_to(&timeline->cpu[key], ns);
}

/* Of a grouping without stacks, or of the build alone. */
static void add_sample(struct timeline *timeline, const struct trace_event *event)
{
	struct grouping *grouping = timeline->options.cpu;
	uint32_t place;

	if (!find_process(timeline, event, &place) || place == GROUP_NONE)
		return;
	count_sample(timeline, event->cpu_sample.weight_ns);
	if (timeline->options.keys)
		add_to_key(timeline, grouping_key(grouping, place, STACK_EMPTY),
			   event->cpu_sample.weight_ns);
}

static uint32_t find_spot(struct timeline *timeline, uint32_t place)
{
	int64_t both = (int64_t)((uint64_t)place << 32 | timeline->at);
	uintptr_t spot = (uintptr_t)intmap_get(&timeline->spot_of, both);

	if (!spot) {
		ARRAY_ADD(timeline->spots, timeline->spots_nr, timeline->spots_alloc,
			  (struct spot){ place, (uint32_t)timeline->at });
		spot = timeline->spots_nr;
		intmap_put(&timeline->spot_of, both, (void *)spot);
	}
	return (uint32_t)(spot - 1);
}

static void take_samples(void *data, uint32_t stack, bool completed,
			 const struct completer_samples *samples)
{
	struct timeline *timeline = data;

	(void)completed;
	if (samples->samples)
		ARRAY_ADD(timeline->taken, timeline->taken_nr, timeline->taken_alloc,
			  (struct stack_samples){ samples->place, stack, samples->ns });
}

/* An event of any kind, for the stacks of samples: what is not counted may still complete those of others. */
static void see_stack(struct timeline *timeline, const struct trace_event *event)
{
	struct trace_process *process = NULL;
	struct cpu_sample sample;
	uint32_t place;

	if (!cpu_stacks_see(timeline->stacks, event, &sample))
		return;
	if (cpu_step_has_stack(sample.step)) {
		process = find_process(timeline, event, &place);
		if (!process)
			return;
		if (place != GROUP_NONE) {
			count_sample(timeline, event->cpu_sample.weight_ns);
			sample.samples.place = find_spot(timeline, place);
			sample.samples.samples = 1;
			sample.samples.ns = event->cpu_sample.weight_ns;
		} else if (cpu_stacks_need_all(timeline->stacks)) {
			sample.samples.unwound = 0;
		} else {
			return;
		}
	}
	cpu_stacks_apply(timeline->stacks, event, process, &sample);
}

/* Whether what happens after the end is needed. */
static bool needs_more(const struct timeline *timeline)
{
	return timeline->stacks && cpu_stacks_need_all(timeline->stacks);
}

bool timeline_apply(struct timeline *timeline, const struct trace_event *event)
{
	const struct timeline_options *options = &timeline->options;

	if (event->time_ns < options->to_ns)
		advance(timeline, event->time_ns);
	if (timeline->at == options->nr || event->time_ns >= options->to_ns) {
		if (needs_more(timeline))
			see_stack(timeline, event);
		return needs_more(timeline);
	}
	if (timeline->committed)
		memory_account_apply(timeline->committed, event);
	if (timeline->touched)
		touched_account_apply(timeline->touched, event);
	if (options->cpu != options->grouping || (!timeline->committed && !timeline->touched))
		grouping_update(options->cpu, event);
	if (timeline->stacks)
		see_stack(timeline, event);
	else if (event->kind == TRACE_CPU)
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

void timeline_end(struct timeline *timeline)
{
	if (timeline->stacks)
		cpu_stacks_end(timeline->stacks);
}

/* Find the keys of the samples by stack, step by step. They are taken nearly in that order. */
static void finish_stacks(struct timeline *timeline)
{
	size_t steps = timeline->options.nr, nr = timeline->taken_nr, at = 0;
	size_t *first = xcalloc(steps + 1, sizeof(*first)); /* by step: of its samples in `order` */
	uint32_t *order = xcalloc(nr + 1, sizeof(*order));
	struct grouping *grouping = timeline->options.cpu;

	for (size_t i = 0; i < nr; i++)
		first[timeline->spots[timeline->taken[i].spot].step + 1]++;
	for (size_t step = 0; step < steps; step++)
		first[step + 1] += first[step];
	for (size_t i = 0; i < nr; i++)
		order[first[timeline->spots[timeline->taken[i].spot].step]++] = (uint32_t)i;
	/* Now each step's first is that of the next one. */
	for (size_t step = 0; step < steps; step++) {
		for (; at < first[step]; at++) {
			const struct stack_samples *samples = &timeline->taken[order[at]];
			uint32_t key = grouping_key(grouping, timeline->spots[samples->spot].place,
						    samples->stack);

			add_to_key(timeline, key, samples->ns);
		}
		finish_cpu(timeline, step);
	}
	free(order);
	free(first);
}

const struct timeline_point *timeline_finish(struct timeline *timeline)
{
	struct timeline_keys *keys = &timeline->keys;

	advance(timeline, timeline->points[0].start_ns);
	while (timeline->at < timeline->options.nr)
		finish_step(timeline);
	if (timeline->stacks)
		finish_stacks(timeline);
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

bool timeline_hides_a_heap(const struct timeline *timeline)
{
	return timeline->committed &&
	       memory_hides_a_heap(memory_account_uncounted(timeline->committed),
				   timeline->ledgers[TIMELINE_COMMITTED].total.size);
}
