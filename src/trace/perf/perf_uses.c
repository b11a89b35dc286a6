#include "trace/perf/perf_uses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/page_sampling.h"
#include "util/text.h"

/* In the order of preference. `config` is the lower half of the event's; the upper half is the kind of CPU. */
struct cpu_kind {
	uint32_t type, config;
	bool clock; /* its period is in nanoseconds */
};

static const struct cpu_kind cpu_kinds[] = {
	{ PERF_TYPE_SOFTWARE, 0, true },  /* cpu-clock */
	{ PERF_TYPE_SOFTWARE, 1, true },  /* task-clock */
	{ PERF_TYPE_HARDWARE, 0, false }, /* cycles */
};

static bool is_of_kind(const struct perf_event *event, const struct cpu_kind *kind)
{
	return event->type == kind->type && (uint32_t)event->config == kind->config &&
	       event->period;
}

/* Whether an earlier event measures the cycles of the same kind of CPU: they would count twice. */
static bool is_repeated(const struct perf_events *events, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (events->v[i].use == PERF_CPU && events->v[i].config == events->v[at].config)
			return true;
	}
	return false;
}

static void set_weight(struct perf_event *event, const struct cpu_kind *kind)
{
	bool has_period = event->sample_type & PERF_SAMPLE_PERIOD;

	if (event->frequency && !(kind->clock && has_period))
		event->weight_ns = (int64_t)((uint64_t)NS_PER_S / event->period);
	else if (!has_period)
		event->weight_ns = event->period < (uint64_t)PERF_WEIGHT_MAX
					   ? (int64_t)event->period
					   : PERF_WEIGHT_MAX;
	if (event->frequency && !event->weight_ns && !(kind->clock && has_period))
		event->weight_ns = 1;
}

static void note_cycles(struct trace_facts *facts, const struct perf_event *event)
{
	if (event->frequency)
		facts->cpu_note = xasprintf("'%s' was sampled %" PRIu64
					    " times a second of CPU time, a sample stands for "
					    "%" PRId64 " ns",
					    event->name, event->period, event->weight_ns);
	else
		facts->cpu_note = xasprintf("'%s' was sampled every %" PRIu64
					    " cycles: shares are of cycles, and a cycle is "
					    "shown as 1 ns",
					    event->name, event->period);
}

/* Copies next to an earlier event of the same kind that has none, for the stacks of its samples. */
static bool is_for_stacks(const struct perf_events *events, size_t at)
{
	if (!perf_event_has_copies(&events->v[at]))
		return false;
	for (size_t i = 0; i < at; i++)
		if (events->v[i].use == PERF_CPU && events->v[i].config == events->v[at].config &&
		    !perf_event_has_copies(&events->v[i]))
			return true;
	return false;
}

static void choose_cpu(struct perf_file *file)
{
	struct perf_events *events = &file->events;
	struct trace_facts *facts = file->facts;

	for (size_t k = 0; k < ARRAY_SIZE(cpu_kinds) && !facts->cpu_event; k++) {
		const struct cpu_kind *kind = &cpu_kinds[k];

		for (size_t i = 0; i < events->nr; i++) {
			struct perf_event *event = &events->v[i];

			if (!is_of_kind(event, kind))
				continue;
			event->stack_only = is_for_stacks(events, i);
			if (is_repeated(events, i) && !event->stack_only)
				continue;
			event->use = PERF_CPU;
			facts->stacks_apart |= event->stack_only;
			set_weight(event, kind);
			if (facts->cpu_event)
				continue;
			facts->cpu_event = xstrdup(event->name);
			if (!kind->clock)
				note_cycles(facts, event);
		}
	}
}

static bool has_callers(const struct perf_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event *event = &events->v[i];

		if (event->use == PERF_CPU &&
		    (event->sample_type & PERF_SAMPLE_CALLCHAIN || perf_event_has_copies(event)))
			return true;
	}
	return false;
}

/* perf writes formats and names last: in a truncated file no memory event is recognized. */
static void explain_cut(struct perf_file *file, bool tracepoints)
{
	struct trace_facts *facts = file->facts;

	if (!facts->memory_refusal || (!file->counters.truncated && !file->stop) || !tracepoints ||
	    file->tracing.nr)
		return;
	free(facts->memory_refusal);
	facts->memory_refusal = xstrdup("the recording ended before the formats of its "
					"tracepoints were written");
}

/* NULL: it is no tracepoint, or the file does not have its format. */
static const struct perf_tracepoint *tracepoint_of(const struct perf_file *file,
						   const struct perf_event *event)
{
	if (event->type != PERF_TYPE_TRACEPOINT || !(event->sample_type & PERF_SAMPLE_RAW))
		return NULL;
	return perf_tracing_find(&file->tracing, event->config);
}

static struct linux_memory *make_memory(struct perf_file *file)
{
	struct perf_events *events = &file->events;
	struct linux_memory_event *list = xcalloc(events->nr, sizeof(*list));
	struct linux_memory *memory;
	bool tracepoints = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event *event = &events->v[i];
		const struct perf_tracepoint *tracepoint = tracepoint_of(file, event);

		list[i].name = event->name;
		list[i].format = tracepoint ? &tracepoint->format : NULL;
		tracepoints = tracepoints || event->type == PERF_TYPE_TRACEPOINT;
		list[i].carries_copy = perf_event_has_copies(event);
		list[i].carries_chain = event->user_chain;
		list[i].frequency = event->frequency || event->period > 1;
	}
	memory = linux_memory_new(list, events->nr, &file->facts->memory_refusal);
	free(list);
	explain_cut(file, tracepoints);
	return memory;
}

/* Mark the events of a tracepoint that was recorded several times: their samples may belong to one call. */
static void mark_pairs(struct perf_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		for (size_t j = 0; j < i; j++) {
			struct perf_event *a = &events->v[i], *b = &events->v[j];

			if (a->use != PERF_MEMORY || b->use != PERF_MEMORY ||
			    a->config != b->config)
				continue;
			a->paired = true;
			b->paired = true;
		}
	}
}

static void use_memory(struct perf_events *events, const struct linux_memory *memory)
{
	for (size_t i = 0; i < events->nr; i++) {
		if (linux_memory_wants(memory, (uint32_t)i))
			events->v[i].use = PERF_MEMORY;
	}
	if (linux_memory_has_duplicates(memory))
		mark_pairs(events);
}

/* Set what the samples of an event touch. Of events of one tracepoint the fields are looked up once. */
static bool find_touch(const struct perf_file *file, struct intmap *known, struct perf_event *event)
{
	const struct linux_touch_event *found = intmap_get(known, (int64_t)event->config);

	if (found) {
		event->touch = *found;
	} else {
		if (!linux_touch_find(event->name, tracepoint_of(file, event), &event->touch))
			event->touch.kind = LINUX_NO_TOUCH;
		intmap_put(known, (int64_t)event->config, &event->touch);
	}
	return event->touch.kind == linux_touch_kind(event->name) && !event->frequency &&
	       event->period <= 1;
}

/* Faults that were recorded by other addresses are another sample. Without a filter all are there. */
static bool has_other_sample(const struct strvec *command)
{
	bool filtered = false, picked = false;

	for (size_t i = 0; i < command->nr; i++) {
		filtered |= strstr(command->v[i], "address &") != NULL;
		picked |= strstr(command->v[i], PAGE_PICK_FILTER) != NULL;
	}
	return filtered && !picked;
}

static char *refuse_touched(const struct trace_facts *facts, bool faults, bool madvise,
			    const char *useless)
{
	if (facts->memory_refusal)
		return xstrdup(facts->memory_refusal);
	if (!faults)
		return xstrdup(
			"it has no page faults: perf record needs the events of docs/perf-data.md, "
			"a configuration 'touched = sampled' (x86); both need the rights that "
			"'stagetrace check' names");
	if (useless)
		return xasprintf(
			"%s was sampled by time or count, or its format is missing: record "
			"without -F and -c",
			useless);
	if (has_other_sample(&facts->command_line))
		return xstrdup("its page faults are of another sample of pages than this version "
			       "reads (--filter '" PAGE_PICK_FILTER "'): record it again");
	if (!madvise)
		return xstrdup(
			"not recorded: sys_enter_madvise, by which programs give pages back");
	return NULL;
}

/* Page faults show what is touched; what is released is in the memory events. */
static void find_touches(struct perf_file *file, const struct trace_options *want)
{
	static const char madvise[] = "syscalls:sys_enter_madvise";

	struct trace_facts *facts = file->facts;
	struct intmap known = INTMAP_INIT;
	bool faults = false, gives_back = false;
	const char *useless = NULL;

	for (size_t i = 0; i < file->events.nr; i++) {
		struct perf_event *event = &file->events.v[i];

		gives_back |= event->name && text_starts_with(event->name, madvise);
		if (linux_touch_kind(event->name) == LINUX_NO_TOUCH)
			continue;
		faults |= linux_touch_kind(event->name) == LINUX_FAULT;
		if (!find_touch(file, &known, event))
			useless = event->name;
	}
	intmap_release(&known);
	facts->touched_refusal = refuse_touched(facts, faults, gives_back, useless);
	facts->has_touched = !facts->touched_refusal;
	facts->heap_refusal =
		xstrdup("calls of heaps are recorded on Windows alone: use --of commit "
			"or --of touched");
	if (!facts->has_touched || !want->memory || !want->touched)
		return;
	for (size_t i = 0; i < file->events.nr; i++) {
		if (file->events.v[i].touch.kind != LINUX_NO_TOUCH)
			file->events.v[i].use = PERF_TOUCH;
	}
}

static void set_clock(struct perf_file *file)
{
	const struct perf_events *events = &file->events;
	const char *name = NULL;

	if (file->facts->clock)
		return;
	if (events->nr && events->v[0].use_clockid)
		name = perf_clock_name(events->v[0].clockid);
	file->facts->clock = xstrdup(name ? name : "perf clock");
}

struct linux_memory *perf_uses_choose(struct perf_file *file, const struct trace_options *want)
{
	struct trace_facts *facts = file->facts;
	struct linux_memory *accounting = NULL;

	perf_file_name_events(file);
	set_clock(file);
	for (size_t i = 0; i < file->events.nr; i++) {
		const struct perf_event *event = &file->events.v[i];

		facts->has_copies |= perf_event_has_copies(event) && !event->distilled;
		facts->has_words |= event->user_chain && !file->distilled;
	}
	choose_cpu(file);
	if (!facts->cpu_event && !facts->cpu_refusal)
		facts->cpu_refusal = xstrdup("it has no CPU samples: record with 'cpu = yes', or "
					     "'perf record -e cpu-clock'");
	if (facts->cpu_event && !has_callers(&file->events))
		facts->caller_refusal = xstrdup("CPU samples have no callers: record with "
						"stagetrace, or 'perf record -g'");
	accounting = make_memory(file);
	facts->has_memory = accounting && !facts->memory_refusal;
	if (facts->has_memory)
		facts->sampled_stacks = linux_memory_has_duplicates(accounting);
	find_touches(file, want);
	if (!want->cpu) {
		for (size_t i = 0; i < file->events.nr; i++)
			if (file->events.v[i].use == PERF_CPU)
				file->events.v[i].use = PERF_UNUSED;
	}
	if (facts->has_memory && want->memory) {
		use_memory(&file->events, accounting);
		return accounting;
	}
	linux_memory_free(accounting);
	return NULL;
}

int64_t perf_uses_weight(const struct perf_event *event, const struct perf_sample *sample)
{
	if (event->weight_ns)
		return event->weight_ns;
	return sample->period <= (uint64_t)PERF_WEIGHT_MAX ? (int64_t)sample->period : -1;
}
