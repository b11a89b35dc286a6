#include "trace/perf/perf_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_format.h"
#include "trace/perf/perf_uses.h"
#include "util/alloc.h"
#include "util/text.h"

/* An event and its copy are this far apart at most, as are the CPUs' clocks: kept back below a round's end. */
#define HELD_BACK_NS ((uint64_t)NS_PER_MS)
#define TIME_MAX     (UINT64_C(1) << 62)
#define LOST_MAX     (UINT64_C(1) << 50) /* more events than any recording has */
#define TRACING_MAX  (UINT32_C(64) << 20)

enum { IN_FILE, UNPACKED };
enum { EVENT_UPDATE_NAME = 2 };

const struct perf_limits perf_limits_usual = {
	.block_shift = 18,
	.blocks = 384,
	.unpacked_bytes = UINT64_C(16) << 30,
	.queued = (size_t)16 << 20,
	.round = 2048,
	.batch = 8192,
	.batch_blocks = 64,
};

void perf_walk_init(struct perf_walk *walk, struct perf_file *file, bool want_cpu, bool want_memory,
		    const struct perf_limits *limits)
{
	walk->file = file;
	walk->limits = limits;
	walk->want_cpu = want_cpu;
	walk->want_memory = want_memory;
	walk->chosen = walk->ended = false;
	walk->memory = NULL;
	walk->unpack = NULL;
	walk->ready = 0;
	walk->newest = walk->round_newest = walk->oldest = walk->lost = walk->lost_samples = 0;
	perf_queue_init(&walk->queue);
	perf_blocks_init(&walk->streams[IN_FILE].blocks, file->input, limits->block_shift,
			 limits->blocks);
	perf_blocks_init(&walk->streams[UNPACKED].blocks, NULL, limits->block_shift,
			 limits->blocks);
	walk->streams[IN_FILE].blocks.end = file->data_end;
	walk->streams[IN_FILE].at = file->data_start;
	walk->streams[UNPACKED].at = 0;
	perf_blocks_pass(&walk->streams[IN_FILE].blocks, file->data_start);
}

void perf_walk_rest(struct perf_walk *walk)
{
	perf_queue_release(&walk->queue);
	perf_blocks_release(&walk->streams[IN_FILE].blocks);
	perf_blocks_release(&walk->streams[UNPACKED].blocks);
}

void perf_walk_release(struct perf_walk *walk)
{
	perf_walk_rest(walk);
	linux_memory_free(walk->memory);
	perf_unpack_free(walk->unpack);
}

struct perf_stream *perf_walk_stream(struct perf_walk *walk, uint64_t place)
{
	return &walk->streams[place & PERF_UNPACKED ? UNPACKED : IN_FILE];
}

const unsigned char *perf_walk_record(struct perf_walk *walk, uint64_t place, size_t *size,
				      bool *moved, struct err *err)
{
	struct perf_stream *stream = perf_walk_stream(walk, place);
	uint64_t offset = PERF_OFFSET(place);
	const unsigned char *record;

	if (perf_blocks_peek(&stream->blocks, offset, PERF_RECORD_HEADER, stream->scratch, &record,
			     err) <= 0)
		return NULL;
	*size = le_get16(record + 6);
	/* Whoever writes the file may have changed it since. */
	if (*size < PERF_RECORD_HEADER ||
	    perf_blocks_peek(&stream->blocks, offset, *size, stream->scratch, &record, err) <= 0)
		return NULL;
	*moved = record == stream->scratch || (uintptr_t)record % 8 != 0;
	if (!*moved || record == stream->scratch)
		return record;
	memcpy(stream->scratch, record, *size);
	return stream->scratch;
}

static void choose(struct perf_walk *walk)
{
	if (walk->chosen)
		return;
	walk->memory = perf_uses_choose(walk->file, walk->want_cpu, walk->want_memory);
	walk->chosen = true;
}

/* Rounds are missing, or too large: the older half is told now, in whatever order that gives. */
static void relieve(struct perf_walk *walk)
{
	const struct perf_queue *queue = &walk->queue;

	if (queue->nr - queue->head < walk->limits->queued &&
	    perf_blocks_kept(&walk->streams[UNPACKED].blocks) < walk->limits->unpacked_bytes)
		return;
	perf_queue_sort(&walk->queue, 0);
	walk->ready = (walk->queue.nr + 1) / 2;
}

static void end_round(struct perf_walk *walk)
{
	const struct perf_queue *queue = &walk->queue;
	uint64_t before = walk->round_newest;

	walk->round_newest = walk->newest;
	if (before > HELD_BACK_NS && queue->nr - queue->head >= walk->limits->round)
		walk->ready = perf_queue_sort(&walk->queue, before - HELD_BACK_NS);
}

static void put(struct perf_walk *walk, int which, uint32_t event, size_t size, uint64_t time)
{
	struct perf_stream *stream = &walk->streams[which];
	uint64_t place = stream->at | (uint64_t)event << PERF_OFFSET_BITS;

	perf_blocks_hold(&stream->blocks, stream->at, size);
	perf_queue_add(&walk->queue, time, which == UNPACKED ? place | PERF_UNPACKED : place);
	relieve(walk);
}

/* False where it can't be. Records that perf made up have no time. */
static bool note_time(struct perf_walk *walk, uint64_t *time)
{
	if (*time == UINT64_MAX)
		*time = 0;
	if (!*time)
		return true;
	if (*time > TIME_MAX)
		return false;
	if (*time > walk->newest)
		walk->newest = *time;
	if (*time < walk->oldest || !walk->oldest)
		walk->oldest = *time;
	return true;
}

static void take_sample(struct perf_walk *walk, int which, const unsigned char *record, size_t size)
{
	struct perf_events *events = &walk->file->events;
	uint32_t found = perf_events_of_sample(events, record, size);
	struct perf_event *event = found == PERF_NO_EVENT ? NULL : &events->v[found];
	uint64_t time = 0;

	choose(walk);
	if (!event || event->sample_time + 8 > size) {
		perf_file_damage(walk->file, walk->streams[which].at, "a sample of no event");
		return;
	}
	if (event->sample_time)
		time = le_get64(record + event->sample_time);
	if (!note_time(walk, &time)) {
		perf_file_damage(walk->file, walk->streams[which].at, "a time beyond all years");
		return;
	}
	event->samples++;
	if (event->use == PERF_UNUSED)
		return;
	walk->file->facts.untimed += !time;
	put(walk, which, found, size, time);
}

/* Tasks have a time of their own. Where nothing else has one, a fork is before what it begins as it stands there. */
static uint64_t get_own_time(const struct perf_events *events, const unsigned char *record,
			     size_t size)
{
	uint32_t type = le_get32(record);
	bool has = type == PERF_EXIT || (type == PERF_FORK && events->timed);

	return has && size >= 32 ? le_get64(record + 24) : 0;
}

static void take_event(struct perf_walk *walk, int which, const unsigned char *record, size_t size)
{
	const struct perf_event *event = perf_events_of_trailer(&walk->file->events, record, size);
	uint64_t time;

	if (event && event->trailer_time)
		time = le_get64(record + size - event->trailer_time);
	else
		time = get_own_time(&walk->file->events, record, size);
	if (note_time(walk, &time))
		put(walk, which, PERF_NO_EVENT, size, time);
	else
		perf_file_damage(walk->file, walk->streams[which].at, "a time beyond all years");
}

/* Since Linux 6.0 perf sums up at the end, in LOST_SAMPLES, what LOST has told already. */
static void take_lost(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	bool samples = le_get32(record) == PERF_LOST_SAMPLES;
	uint64_t *sum = samples ? &walk->lost_samples : &walk->lost;
	size_t at = samples ? 8 : 16;

	if (samples && le_get16(record + 4) & PERF_MISC_LOST_SAMPLES_BPF)
		return;
	if (at + 8 > size || le_get64(record + at) > LOST_MAX - *sum) {
		perf_file_damage(walk->file, walk->streams[IN_FILE].at,
				 "a count of lost events that can't be");
		return;
	}
	*sum += le_get64(record + at);
	walk->file->facts.lost = walk->lost > walk->lost_samples ? walk->lost : walk->lost_samples;
}

/* Bytes behind the record, which are not a record's; those that the file has not got are cut off. */
static void skip_behind(struct perf_walk *walk, int which, size_t size, uint64_t nr)
{
	struct perf_stream *stream = &walk->streams[which];
	uint64_t left = stream->blocks.end - stream->at - size;

	if (which == UNPACKED) {
		perf_file_damage(walk->file, stream->at, "a payload among packed records");
		return;
	}
	if (nr > left && stream->blocks.end == walk->file->size)
		walk->file->facts.cut = true;
	else if (nr > left)
		perf_file_stop(walk->file, stream->at, stream->at + size,
			       "a payload of %" PRIu64 " bytes", nr);
	if (nr > left)
		nr = left;
	stream->at += nr;
}

/* u32 size; behind the record as many bytes, padded to a multiple of 8. */
static int take_tracing(struct perf_walk *walk, int which, const unsigned char *record, size_t size,
			struct err *err)
{
	struct perf_file *file = walk->file;
	uint64_t place = walk->streams[which].at + size;
	uint32_t nr = size >= 12 ? le_get32(record + 8) : 0;
	int64_t got = 0;

	if (which == IN_FILE && nr <= TRACING_MAX && nr <= file->data_end - place) {
		unsigned char *data = xmalloc(nr + 1);

		got = trace_input_read(file->input, place, data, nr, err);
		if (got == nr && !walk->chosen)
			perf_file_feature(file, PERF_FEATURE_TRACING_DATA, data, nr, place);
		free(data);
	}
	if (got < 0)
		return -1;
	skip_behind(walk, which, size, ((uint64_t)nr + 7) & ~UINT64_C(7));
	return 0;
}

/* u64 what, u64 id, and for a name text. */
static void take_update(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	struct perf_events *events = &walk->file->events;
	uint32_t found;

	if (walk->chosen || size <= 24 || le_get64(record + 8) != EVENT_UPDATE_NAME ||
	    !memchr(record + 24, 0, size - 24))
		return;
	found = perf_events_by_id(events, le_get64(record + 16));
	if (found == PERF_NO_EVENT)
		return;
	free(events->v[found].name);
	events->v[found].name = xstrdup((const char *)record + 24);
}

/* What is about the file, in a recording that went through a pipe. */
static void take_header(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	uint64_t place = walk->streams[IN_FILE].at;
	struct perf_file *file = walk->file;

	if (!file->pipe)
		return;
	if (le_get32(record) == PERF_HEADER_ATTR) {
		perf_file_add_attr(file, record + 8, size - 8, place);
		/* Too late to be used; but it is counted. */
		if (walk->chosen)
			perf_file_name_events(file);
	} else if (size < 16) {
		perf_file_damage(file, place, "a feature that is cut");
	} else if (le_get64(record + 8) < PERF_FEATURES && !walk->chosen) {
		perf_file_feature(file, (unsigned)le_get64(record + 8), record + 16, size - 16,
				  place);
	}
}

/* The bytes stay where they are until all are taken: nothing is read of the file before. */
static void take_packed(struct perf_walk *walk, int which, const unsigned char *record, size_t size)
{
	size_t nr = size - PERF_RECORD_HEADER, at = PERF_RECORD_HEADER;
	uint64_t place = walk->streams[which].at;

	if (which == UNPACKED) {
		perf_file_damage(walk->file, place, "packed records within packed ones");
		return;
	}
	if (le_get32(record) == PERF_COMPRESSED2) {
		at += 8;
		if (size < at || le_get64(record + 8) > size - at) {
			perf_file_damage(walk->file, place, "packed records that are cut");
			return;
		}
		nr = (size_t)le_get64(record + 8);
	}
	if (!walk->unpack)
		walk->unpack = perf_unpack_new();
	perf_unpack_feed(walk->unpack, record + at, nr);
}

static int take_record(struct perf_walk *walk, int which, const unsigned char *record, size_t size,
		       struct err *err)
{
	uint32_t type = le_get32(record);

	switch (type) {
	case PERF_SAMPLE:
		take_sample(walk, which, record, size);
		break;
	case PERF_MMAP:
	case PERF_MMAP2:
	case PERF_COMM:
	case PERF_FORK:
	case PERF_EXIT:
		take_event(walk, which, record, size);
		break;
	case PERF_FINISHED_ROUND:
		end_round(walk);
		break;
	case PERF_LOST:
	case PERF_LOST_SAMPLES:
		take_lost(walk, record, size);
		break;
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2:
		take_packed(walk, which, record, size);
		break;
	case PERF_AUXTRACE:
		skip_behind(walk, which, size, size >= 16 ? le_get64(record + 8) : 0);
		break;
	case PERF_HEADER_TRACING_DATA:
		return take_tracing(walk, which, record, size, err);
	case PERF_HEADER_ATTR:
	case PERF_HEADER_FEATURE:
		take_header(walk, record, size);
		break;
	case PERF_EVENT_UPDATE:
		take_update(walk, record, size);
		break;
	case PERF_HEADER_BUILD_ID:
		if (!perf_build_ids_add(&walk->file->build_ids, record, size))
			perf_file_damage(walk->file, walk->streams[which].at,
					 "a build id that is cut");
		break;
	default:
		if (!type || (type > PERF_KERNEL_LAST && type < PERF_HEADER_ATTR) ||
		    type > PERF_TOOL_LAST)
			walk->file->facts.unknown++;
	}
	return 0;
}

/* The file ends within a record, or what follows is none. `begun`: it has the record's header. */
static void end_early(struct perf_walk *walk, bool begun)
{
	struct perf_stream *stream = &walk->streams[IN_FILE];
	struct trace_facts *facts = &walk->file->facts;
	unsigned size = le_get16(stream->header + 6);
	bool at_end = stream->blocks.end == walk->file->size;

	/* A recording that was killed: its last record is not whole, or space was not written to. */
	if (at_end && (!begun || size >= PERF_RECORD_HEADER))
		facts->cut = true;
	else if (!begun)
		perf_file_stop(walk->file, stream->at, stream->at, "a record whose header is cut");
	else if (!facts->cut || le_get64(stream->header))
		perf_file_stop(walk->file, stream->at, stream->at, "a record of %u bytes", size);
}

/* One record: 1; 0 where it is not whole or can't be, `*begun`: its header is there; -1. */
static int step(struct perf_walk *walk, int which, bool *begun, struct err *err)
{
	struct perf_stream *stream = &walk->streams[which];
	struct perf_blocks *blocks = &stream->blocks;
	const unsigned char *record;
	size_t size;
	int rc = perf_blocks_peek(blocks, stream->at, PERF_RECORD_HEADER, stream->scratch, &record,
				  err);

	*begun = rc > 0;
	if (rc <= 0)
		return rc;
	memcpy(stream->header, record, PERF_RECORD_HEADER);
	size = le_get16(record + 6);
	if (size < PERF_RECORD_HEADER)
		return 0;
	rc = perf_blocks_peek(blocks, stream->at, size, stream->scratch, &record, err);
	if (rc <= 0)
		return rc;
	if (take_record(walk, which, record, size, err))
		return -1;
	stream->at += size;
	perf_blocks_pass(blocks, stream->at);
	return 1;
}

/* One record, or more bytes, of what was fed; 0 where that is at its end; -1. */
static int step_unpacked(struct perf_walk *walk, struct err *err)
{
	struct perf_stream *stream = &walk->streams[UNPACKED];
	const unsigned char *bytes;
	const char *why;
	size_t nr;
	bool begun;
	int rc = step(walk, UNPACKED, &begun, err);

	if (rc)
		return rc;
	if (begun && le_get16(stream->header + 6) < PERF_RECORD_HEADER) {
		walk->ended = true;
		perf_file_stop(walk->file, walk->streams[IN_FILE].at, walk->streams[IN_FILE].at,
			       "a packed record of %u bytes",
			       (unsigned)le_get16(stream->header + 6));
		return 1;
	}
	rc = perf_unpack_next(walk->unpack, &bytes, &nr, &why);
	if (rc < 0) {
		walk->ended = true;
		perf_file_stop(walk->file, walk->streams[IN_FILE].at, walk->streams[IN_FILE].at,
			       "packed records that can't be unpacked (%s)", why);
		return 1;
	}
	if (rc > 0 && perf_blocks_append(&stream->blocks, bytes, nr, err))
		return -1;
	return rc;
}

static int advance(struct perf_walk *walk, struct err *err)
{
	struct perf_stream *stream = &walk->streams[IN_FILE];
	bool begun;
	int rc = walk->unpack ? step_unpacked(walk, err) : 0;

	if (rc)
		return rc < 0 ? -1 : 0;
	rc = step(walk, IN_FILE, &begun, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	walk->ended = true;
	if (stream->at != stream->blocks.end)
		end_early(walk, begun);
	stream = &walk->streams[UNPACKED];
	/* What was packed last goes on in what is missing. */
	if (stream->at != stream->blocks.end && !walk->file->facts.stop)
		walk->file->facts.cut = true;
	return 0;
}

int perf_walk_prepare(struct perf_walk *walk, struct err *err)
{
	while (walk->file->pipe && !walk->chosen && !walk->ended && !walk->ready) {
		if (advance(walk, err))
			return -1;
	}
	choose(walk);
	return 0;
}

int perf_walk_on(struct perf_walk *walk, struct err *err)
{
	while (!walk->ready && !walk->ended) {
		if (advance(walk, err))
			return -1;
	}
	if (!walk->ready)
		walk->ready = perf_queue_sort(&walk->queue, UINT64_MAX);
	return walk->ready ? 1 : 0;
}
