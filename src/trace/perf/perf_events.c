#include "trace/perf/perf_events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"

static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

void perf_events_init(struct perf_events *events)
{
	*events = (struct perf_events){ .ids = INTMAP_INIT, .last_event = PERF_NO_EVENT };
}

void perf_events_release(struct perf_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		free(events->v[i].name);
	free(events->v);
	intmap_release(&events->ids);
	perf_events_init(events);
}

static uint64_t get_if(const unsigned char *attr, size_t nr, size_t at)
{
	return at + 8 <= nr ? le_get64(attr + at) : 0;
}

static void locate_sample_fields(struct perf_event *event)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID
	};
	uint32_t at = PERF_RECORD_HEADER;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(event->sample_type & order[i]))
			continue;
		if (order[i] == PERF_SAMPLE_TIME)
			event->sample_time = at;
		if (order[i] == PERF_SAMPLE_IDENTIFIER ||
		    (order[i] == PERF_SAMPLE_ID && !event->sample_id))
			event->sample_id = at;
		at += 8;
	}
}

/* Set the offsets of the trailer's fields, counted from the end of the record. */
static void locate_trailer_fields(struct perf_event *event)
{
	static const uint64_t order[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU,
					  PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_ID,
					  PERF_SAMPLE_TIME,       PERF_SAMPLE_TID };
	uint32_t at = 0;

	if (!event->trailers)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(event->sample_type & order[i]))
			continue;
		at += 8;
		if (order[i] == PERF_SAMPLE_TIME)
			event->trailer_time = at;
		if (order[i] == PERF_SAMPLE_CPU)
			event->trailer_cpu = at;
		if (order[i] == PERF_SAMPLE_IDENTIFIER ||
		    (order[i] == PERF_SAMPLE_ID && !event->trailer_id))
			event->trailer_id = at;
	}
	event->trailer = at;
}

uint32_t perf_events_add(struct perf_events *events, const unsigned char *attr, size_t nr)
{
	struct perf_event event = { 0 };
	uint64_t flags;

	if (nr < PERF_ATTR_MIN || nr > PERF_ATTR_MAX || events->nr >= PERF_EVENTS_MAX)
		return PERF_NO_EVENT;
	flags = le_get64(attr + PERF_ATTR_FLAGS);
	event.type = le_get32(attr);
	event.config = le_get64(attr + 8);
	event.period = le_get64(attr + 16);
	event.sample_type = le_get64(attr + PERF_ATTR_SAMPLE_TYPE);
	event.read_format = le_get64(attr + 32);
	event.frequency = flags & PERF_ATTR_FREQ;
	event.trailers = flags & PERF_ATTR_SAMPLE_ID_ALL;
	event.user_chain = event.sample_type & PERF_SAMPLE_CALLCHAIN &&
			   !(flags & PERF_ATTR_EXCLUDE_CALLCHAIN_USER);
	event.use_clockid = flags & PERF_ATTR_USE_CLOCKID;
	event.branch_type = get_if(attr, nr, 72);
	event.regs_user = get_if(attr, nr, PERF_ATTR_REGS_USER);
	if (nr >= 96) {
		event.stack_user = le_get32(attr + PERF_ATTR_STACK_USER);
		event.clockid = (int32_t)le_get32(attr + 92);
	}
	locate_sample_fields(&event);
	locate_trailer_fields(&event);
	ARRAY_GROW(events->v, events->nr + 1, events->alloc);
	events->v[events->nr] = event;
	events->timed |= event.sample_time > 0;
	return (uint32_t)events->nr++;
}

void perf_events_add_id(struct perf_events *events, uint64_t id, uint32_t event)
{
	intmap_put(&events->ids, (int64_t)id, (void *)(uintptr_t)(event + 1));
	events->ids_nr++;
	events->last_event = PERF_NO_EVENT;
}

uint32_t perf_events_by_id(struct perf_events *events, uint64_t id)
{
	uintptr_t found;

	if (id == events->last_id && events->last_event != PERF_NO_EVENT)
		return events->last_event;
	found = (uintptr_t)intmap_get(&events->ids, (int64_t)id);
	if (!found)
		return PERF_NO_EVENT;
	events->last_id = id;
	events->last_event = (uint32_t)(found - 1);
	return events->last_event;
}

/* perf writes the id at the same offset in the samples of all events: the first event's offset is used. */
uint32_t perf_events_of_sample(struct perf_events *events, const unsigned char *record, size_t size)
{
	uint32_t at, found;

	if (events->nr <= 1)
		return events->nr ? 0 : PERF_NO_EVENT;
	at = events->v[0].sample_id;
	if (!at)
		return 0;
	if (at + 8 > size)
		return PERF_NO_EVENT;
	found = perf_events_by_id(events, le_get64(record + at));
	/* If the file has no ids, all samples belong to the first event, as in perf. */
	return found == PERF_NO_EVENT && !events->ids.nr ? 0 : found;
}

const struct perf_event *perf_events_of_trailer(struct perf_events *events,
						const unsigned char *record, size_t size)
{
	const struct perf_event *event = events->nr ? &events->v[0] : NULL;

	if (!event || !event->trailers)
		return NULL;
	if (events->nr > 1 && event->trailer_id && event->trailer_id + PERF_RECORD_HEADER <= size) {
		uint64_t id = le_get64(record + size - event->trailer_id);
		uint32_t found = id ? perf_events_by_id(events, id) : PERF_NO_EVENT;

		if (found != PERF_NO_EVENT)
			event = &events->v[found];
	}
	return event->trailer && event->trailer + PERF_RECORD_HEADER <= size ? event : NULL;
}

char *perf_event_default_name(const struct perf_event *event)
{
	if (event->type == PERF_TYPE_SOFTWARE && event->config < ARRAY_SIZE(software_names))
		return xstrdup(software_names[event->config]);
	/* The upper half is the kind of CPU on machines with several kinds. */
	if (event->type == PERF_TYPE_HARDWARE &&
	    (uint32_t)event->config < ARRAY_SIZE(hardware_names))
		return xstrdup(hardware_names[(uint32_t)event->config]);
	if (event->type == PERF_TYPE_TRACEPOINT)
		return xasprintf("tracepoint %" PRIu64, event->config);
	return xasprintf("type %" PRIu32 " config 0x%" PRIx64, event->type, event->config);
}

bool perf_event_has_copies(const struct perf_event *event)
{
	return event->distilled ||
	       (event->sample_type & PERF_SAMPLE_REGS_USER &&
		event->sample_type & PERF_SAMPLE_STACK_USER && event->regs_user);
}
