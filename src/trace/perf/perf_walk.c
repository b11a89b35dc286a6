#include "trace/perf/perf_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cost.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_unpacker.h"
#include "trace/perf/perf_uses.h"
#include "util/alloc.h"
#include "util/text.h"

/*
 * Maximum time between an event and its duplicate, and between the clocks of two CPUs: records this close to a round's end
 * wait.
 */
#define HELD_BACK_NS ((uint64_t)NS_PER_MS)
#define TIME_MAX     (UINT64_C(1) << 62)
#define LOST_MAX     (UINT64_C(1) << 50) /* more events than any recording has */
#define TRACING_MAX  (UINT32_C(64) << 20)

enum { IN_FILE, DECOMPRESSED };

const struct perf_limits perf_limits_usual = {
	.block_shift = 18,
	.blocks = 384,
	.decompressed_bytes = UINT64_C(16) << 30,
	.queued = (size_t)16 << 20,
	.round = 2048,
	.batch = 8192,
	.batch_blocks = 32,
};

void perf_walk_init(struct perf_walk *walk, struct perf_file *file,
		    const struct trace_options *want, const struct perf_limits *limits)
{
	walk->file = file;
	walk->visitor = (struct perf_visitor){ NULL, NULL };
	walk->limits = limits;
	walk->want = want ? *want : (struct trace_options){ 0 };
	walk->chosen = walk->ended = false;
	walk->memory = NULL;
	walk->unpacker = NULL;
	walk->unpacked = 0;
	walk->ready = 0;
	walk->newest = walk->round_newest = walk->oldest = walk->lost = walk->lost_samples = 0;
	perf_queue_init(&walk->queue);
	perf_blocks_init(&walk->streams[IN_FILE].blocks, file->input, limits->block_shift,
			 limits->blocks);
	perf_blocks_init(&walk->streams[DECOMPRESSED].blocks, NULL, limits->block_shift,
			 limits->blocks);
	walk->streams[IN_FILE].blocks.end = file->data_end;
	walk->streams[IN_FILE].at = file->data_start;
	walk->streams[DECOMPRESSED].at = 0;
	perf_blocks_pass(&walk->streams[IN_FILE].blocks, file->data_start);
}

void perf_walk_free_buffers(struct perf_walk *walk)
{
	perf_queue_release(&walk->queue);
	perf_blocks_release(&walk->streams[IN_FILE].blocks);
	perf_blocks_release(&walk->streams[DECOMPRESSED].blocks);
}

void perf_walk_release(struct perf_walk *walk)
{
	perf_walk_free_buffers(walk);
	linux_memory_free(walk->memory);
	perf_unpacker_free(walk->unpacker);
}

struct perf_stream *perf_walk_stream(struct perf_walk *walk, uint64_t location)
{
	return &walk->streams[location & PERF_DECOMPRESSED ? DECOMPRESSED : IN_FILE];
}

const unsigned char *perf_walk_record(struct perf_walk *walk, uint64_t location, size_t *size,
				      bool *moved, struct err *err)
{
	struct perf_stream *stream = perf_walk_stream(walk, location);
	const unsigned char *record;

	/* The file may have changed since it was queued. */
	if (perf_stream_record(stream, PERF_OFFSET(location), &record, size, err) <= 0)
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
	walk->memory = perf_uses_choose(walk->file, &walk->want);
	walk->chosen = true;
}

/* Decompressed bytes that may wait, in memory and a temporary file: half of what a file of this size may have. */
static uint64_t waiting_max(const struct perf_walk *walk)
{
	uint64_t most = walk->file->decompressed_max / 2;

	return most < walk->limits->decompressed_bytes ? most : walk->limits->decompressed_bytes;
}

/* Rounds are missing or too large: deliver the older half now, although earlier records may follow. */
static void relieve(struct perf_walk *walk)
{
	const struct perf_queue *queue = &walk->queue;

	if (queue->nr - queue->head < walk->limits->queued &&
	    perf_blocks_kept(&walk->streams[DECOMPRESSED].blocks) < waiting_max(walk))
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
	uint64_t location = stream->at | (uint64_t)event << PERF_OFFSET_BITS;

	if (walk->visitor.visit)
		return;
	perf_blocks_hold(&stream->blocks, stream->at, size);
	perf_queue_add(&walk->queue, time,
		       which == DECOMPRESSED ? location | PERF_DECOMPRESSED : location);
	relieve(walk);
}

/* Track the oldest and newest time. False: the time is out of range. Records that perf synthesizes have none. */
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
		perf_file_damage(walk->file, walk->streams[which].at,
				 "a sample of an unknown event");
		return;
	}
	if (event->sample_time)
		time = le_get64(record + event->sample_time);
	if (!note_time(walk, &time)) {
		perf_file_damage(walk->file, walk->streams[which].at, "a time stamp out of range");
		return;
	}
	event->samples++;
	if (event->use == PERF_UNUSED)
		return;
	walk->file->counters.untimed += !time;
	put(walk, which, found, size, time);
}

/* FORK and EXIT have a time in their own fields. If samples have no time, a fork keeps its position in the file. */
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
		perf_file_damage(walk->file, walk->streams[which].at, "a time stamp out of range");
}

/* Its trailer has the id of the event. */
static void count_lost(struct perf_walk *walk, const unsigned char *record, size_t size,
		       uint64_t nr)
{
	struct perf_events *events = &walk->file->events;
	const struct perf_event *trailer = perf_events_of_trailer(events, record, size);
	uint32_t event = PERF_NO_EVENT;

	if (trailer && trailer->trailer_id && size >= 16 + trailer->trailer_id)
		event = perf_events_by_id(events, le_get64(record + size - trailer->trailer_id));
	if (event != PERF_NO_EVENT)
		events->v[event].lost += nr;
}

/*
 * Since Linux 6.0 perf counts the same losses in LOST and, at the end of the file, in LOST_SAMPLES, one of each event: only
 * these say of which event they are, as all events of a processor share a buffer.
 */
static void take_lost(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	bool samples = le_get32(record) == PERF_LOST_SAMPLES;
	uint64_t *sum = samples ? &walk->lost_samples : &walk->lost;
	size_t at = samples ? 8 : 16;

	if (samples && le_get16(record + 4) & PERF_MISC_LOST_SAMPLES_BPF)
		return;
	if (at + 8 > size || le_get64(record + at) > LOST_MAX - *sum) {
		perf_file_damage(walk->file, walk->streams[IN_FILE].at,
				 "a count of lost events out of range");
		return;
	}
	*sum += le_get64(record + at);
	if (samples)
		count_lost(walk, record, size, le_get64(record + at));
	walk->file->counters.lost =
		walk->lost > walk->lost_samples ? walk->lost : walk->lost_samples;
}

/* Skip the payload after a record; at the end of the file a part of it may be missing. */
static void skip_payload(struct perf_walk *walk, int which, const unsigned char *record,
			 size_t size)
{
	struct perf_stream *stream = &walk->streams[which];
	uint64_t nr = perf_record_payload(record, size);
	uint64_t left = stream->blocks.end - stream->at - size;

	if (which == DECOMPRESSED) {
		perf_file_damage(walk->file, stream->at, "a payload among compressed records");
		return;
	}
	if (nr > left && stream->blocks.end == walk->file->size)
		walk->file->counters.truncated = true;
	else if (nr > left)
		perf_file_stop(walk->file, stream->at, stream->at + size,
			       "a payload of %" PRIu64 " bytes", nr);
	if (nr > left)
		nr = left;
	stream->at += nr;
}

/* u32 size; as many bytes are after the record. */
static int take_tracing(struct perf_walk *walk, int which, const unsigned char *record, size_t size,
			struct err *err)
{
	struct perf_file *file = walk->file;
	uint64_t location = walk->streams[which].at + size;
	uint32_t nr = size >= 12 ? le_get32(record + 8) : 0;
	int64_t got = 0;

	if (which == IN_FILE && nr <= TRACING_MAX && nr <= file->data_end - location) {
		unsigned char *data = xmalloc(nr + 1);

		got = trace_input_read(file->input, location, data, nr, err);
		if (got == nr && !walk->chosen)
			perf_file_feature(file, PERF_FEATURE_TRACING_DATA, data, nr, location);
		free(data);
	}
	if (got < 0)
		return -1;
	skip_payload(walk, which, record, size);
	return 0;
}

/* u64 kind of update, u64 id, text of a name. */
static void take_update(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	struct perf_events *events = &walk->file->events;
	uint32_t found;

	if (walk->chosen || size <= 24 || le_get64(record + 8) != PERF_UPDATE_NAME ||
	    !memchr(record + 24, 0, size - 24))
		return;
	found = perf_events_by_id(events, le_get64(record + 16));
	if (found == PERF_NO_EVENT)
		return;
	free(events->v[found].name);
	events->v[found].name = xstrdup((const char *)record + 24);
}

/* Read a record that describes the file: a recording through a pipe has them instead of a header. */
static void take_header(struct perf_walk *walk, const unsigned char *record, size_t size)
{
	uint64_t location = walk->streams[IN_FILE].at;
	struct perf_file *file = walk->file;

	if (!file->pipe)
		return;
	if (le_get32(record) == PERF_HEADER_ATTR) {
		perf_file_add_attr(file, record + 8, size - 8, location);
		/* An event after the first sample: it is only counted. */
		if (walk->chosen)
			perf_file_name_events(file);
	} else if (size < 16) {
		perf_file_damage(file, location, "a truncated feature");
	} else if (le_get64(record + 8) < PERF_FEATURES && !walk->chosen) {
		perf_file_feature(file, (unsigned)le_get64(record + 8), record + 16, size - 16,
				  location);
	}
}

/* What it holds is appended before the next record of the file. */
static void take_compressed(struct perf_walk *walk, int which, const unsigned char *record,
			    size_t size)
{
	const struct perf_file *file = walk->file;
	uint64_t location = walk->streams[which].at;
	const char *damage = NULL;
	const unsigned char *bytes;
	size_t nr;

	if (which == DECOMPRESSED)
		damage = "compressed records within compressed ones";
	else if (!perf_record_compressed(record, size, &bytes, &nr))
		damage = "truncated compressed records";
	if (damage) {
		perf_file_damage(walk->file, location, "%s", damage);
		walk->file->lost_records = true;
		return;
	}
	if (!walk->unpacker)
		walk->unpacker = perf_unpacker_new(file->input, location, file->data_end,
						   walk->limits->block_shift, walk->want.threads);
	walk->unpacked = location;
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
		take_compressed(walk, which, record, size);
		break;
	case PERF_AUXTRACE:
		skip_payload(walk, which, record, size);
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
					 "a truncated build id");
		break;
	default:
		if (!type || (type > PERF_KERNEL_LAST && type < PERF_HEADER_ATTR) ||
		    type > PERF_TOOL_LAST)
			walk->file->counters.unknown++;
	}
	return 0;
}

/* The file ends within a record, or the next record is damaged. Its header is in the stream. */
static void end_early(struct perf_walk *walk)
{
	struct perf_stream *stream = &walk->streams[IN_FILE];
	struct trace_counters *counters = &walk->file->counters;
	unsigned size = le_get16(stream->header + 6);
	bool at_end = stream->blocks.end == walk->file->size;

	/* perf was killed: its last record is incomplete, or reserved space was never written to. */
	if (at_end && (!stream->begun || size >= PERF_RECORD_HEADER))
		counters->truncated = true;
	else if (!stream->begun)
		perf_file_stop(walk->file, stream->at, stream->at,
			       "a record with a truncated header");
	else if (!counters->truncated || le_get64(stream->header))
		perf_file_stop(walk->file, stream->at, stream->at, "a record of %u bytes", size);
}

static int visit(struct perf_walk *walk, int which, const unsigned char *record, size_t size,
		 struct err *err)
{
	uint64_t location = walk->streams[which].at;

	if (!walk->visitor.visit)
		return 0;
	if (which == DECOMPRESSED)
		location |= PERF_DECOMPRESSED;
	return walk->visitor.visit(walk->visitor.data, location, record, size, err);
}

/* Read one record. Returns 1; 0: it is incomplete or damaged; -1: failure. */
static int step(struct perf_walk *walk, int which, struct err *err)
{
	struct perf_stream *stream = &walk->streams[which];
	const unsigned char *record;
	size_t size;
	int rc = perf_stream_record(stream, stream->at, &record, &size, err);

	if (rc <= 0)
		return rc;
	if (take_record(walk, which, record, size, err) || visit(walk, which, record, size, err))
		return -1;
	stream->at += size;
	perf_blocks_pass(&stream->blocks, stream->at);
	return 1;
}

static int check_decompressed(const struct perf_walk *walk, uint64_t bytes, struct err *err)
{
	uint64_t most = walk->file->decompressed_max;

	if (bytes <= most)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "its compressed records have more than %" PRIu64
		       " MB decompressed, the limit for its size: %s",
		       most >> 20, cost_remedy());
}

/* Decompress more. Returns 1; 0: there is no more; -1: failure. */
static int decompress_more(struct perf_walk *walk, struct err *err)
{
	struct perf_blocks *blocks = &walk->streams[DECOMPRESSED].blocks;
	uint64_t location = walk->streams[IN_FILE].at;
	const char *why;
	int rc;

	if (!walk->unpacked)
		return 0;
	rc = perf_unpacker_next(walk->unpacker, walk->unpacked, blocks, &why, err);
	if (rc <= 0) {
		walk->unpacked = 0;
		return rc;
	}
	if (check_decompressed(walk, blocks->end, err))
		return -1;
	if (why) {
		walk->ended = true;
		perf_file_stop(walk->file, location, location,
			       "records that cannot be decompressed (%s)", why);
	}
	return 1;
}

/* Read one record of the decompressed bytes, or decompress more. Returns 1; 0: there are no more; -1: failure. */
static int step_decompressed(struct perf_walk *walk, struct err *err)
{
	struct perf_stream *stream = &walk->streams[DECOMPRESSED];
	uint64_t location = walk->streams[IN_FILE].at;
	int rc = step(walk, DECOMPRESSED, err);

	if (rc)
		return rc;
	if (!stream->begun || le_get16(stream->header + 6) >= PERF_RECORD_HEADER)
		return decompress_more(walk, err);
	walk->ended = true;
	perf_file_stop(walk->file, location, location, "a compressed record of %u bytes",
		       (unsigned)le_get16(stream->header + 6));
	return 1;
}

static int advance(struct perf_walk *walk, struct err *err)
{
	struct perf_stream *stream = &walk->streams[IN_FILE];
	int rc = walk->unpacker ? step_decompressed(walk, err) : 0;

	if (rc)
		return rc < 0 ? -1 : 0;
	rc = step(walk, IN_FILE, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	walk->ended = true;
	if (stream->at != stream->blocks.end)
		end_early(walk);
	stream = &walk->streams[DECOMPRESSED];
	/* The last compressed record continues in the missing part of the file. */
	if ((stream->at != stream->blocks.end && !walk->file->stop) || walk->file->is_cut)
		walk->file->counters.truncated = true;
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

int perf_walk_next(struct perf_walk *walk, struct err *err)
{
	while (!walk->ready && !walk->ended) {
		if (advance(walk, err))
			return -1;
	}
	if (!walk->ready)
		walk->ready = perf_queue_sort(&walk->queue, UINT64_MAX);
	return walk->ready ? 1 : 0;
}
