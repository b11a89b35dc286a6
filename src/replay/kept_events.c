#include "replay/kept_events.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "platform/cost.h"
#include "replay/zstd_text.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/leb128.h"
#include "util/little_endian.h"
#include "util/strset.h"

#define MAGIC      "events\n"
#define MAGIC_SIZE 8
#define HASH_SIZE  (HASH_TEXT_SIZE - 1)
#define HEAD_SIZE  (MAGIC_SIZE + 4 + HASH_SIZE)

#define LEVEL 3

/* An event takes fewer bytes. */
#define EVENT_MAX 256

/* The threads that ran last are kept for so many processors. */
#define PROCESSORS 256

/* The first byte of an event: its kind and these, of which some mean something else for other kinds. */
#define KIND_MASK   0x0f
#define SAME_THREAD 0x10 /* as that of the event before on this processor */
#define SAME_WEIGHT 0x20 /* as that of the CPU sample before */
#define STACK_ONLY  0x40
#define UNWOUND     0x80
#define COPIED      0x20 /* of a start */
#define STARTS      0x40
#define HAS_END     0x80
#define KERNEL      0x20 /* of a map */
#define PE          0x40
#define CODE        0x80
#define HAS_CODE    0x20 /* of an end */

/* What an event is written less, on both sides. */
struct previous {
	int64_t time_ns, weight_ns;
	struct {
		int64_t pid, tid;
	} threads[PROCESSORS];
};

/* Each member in one place, for both sides; the bool is apart. */
static uint64_t *counter(struct trace_counters *counters, size_t number)
{
	uint64_t *const all[] = {
		(uint64_t *)&counters->base_ns,
		(uint64_t *)&counters->first_ns,
		(uint64_t *)&counters->last_ns,
		&counters->stack_copies,
		&counters->stack_copies_unmatched,
		&counters->exits_unmatched,
		&counters->lost,
		&counters->lost_buffers,
		&counters->unordered,
		&counters->untimed,
		&counters->unknown,
		&counters->all_buffers,
		&counters->read_bytes,
		&counters->all_bytes,
	};

	return number < ARRAY_SIZE(all) ? all[number] : NULL;
}

static bool is_undamaged(const struct trace_facts *facts)
{
	const struct trace_counters *counters = &facts->counters;

	return !counters->damaged && !counters->damaged_buffers && !counters->truncated &&
	       !counters->missing_bytes && !counters->missing_buffers && !counters->unread_bytes &&
	       !facts->stop && !facts->first_damage.len;
}

struct kept_writer {
	struct strbuf events;
	uint64_t events_nr;
	struct strset texts;
	struct previous previous;
	bool failed; /* an event is not of a kind that is kept */
};

static void put_number(struct strbuf *sb, uint64_t value)
{
	strbuf_grow(sb, LEB128_MAX);
	strbuf_set_len(sb, (size_t)(leb128_put(sb->buf + sb->len, value) - sb->buf));
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static void put_signed(struct strbuf *sb, int64_t value)
{
	put_number(sb, zigzag(value));
}

/* A text is its number and one, none is 0. */
static void put_text(struct kept_writer *writer, const char *text)
{
	put_number(&writer->events, text ? (uint64_t)strset_add(&writer->texts, text) + 1 : 0);
}

static void put_start(struct kept_writer *writer, const struct trace_start *start)
{
	put_signed(&writer->events, start->ppid);
	put_signed(&writer->events, start->by_tid);
	put_text(writer, start->image);
	put_text(writer, start->command_line);
}

static void put_map(struct kept_writer *writer, const struct trace_map *map)
{
	put_number(&writer->events, map->address);
	put_number(&writer->events, map->length);
	put_number(&writer->events, map->offset);
	put_text(writer, map->path);
	put_text(writer, map->debug_path);
	put_number(&writer->events, map->id_length);
	strbuf_add(&writer->events, (const char *)map->id, map->id_length);
}

/* -1: it is not kept. */
static int flags_of(const struct trace_event *event, const struct previous *previous)
{
	const struct trace_start *start = &event->start;
	const struct trace_map *map = &event->map;

	switch (event->kind) {
	case TRACE_PROCESS_START:
	case TRACE_THREAD_START:
		return (start->copied ? COPIED : 0) | (start->starts ? STARTS : 0) |
		       (start->has_end ? HAS_END : 0);
	case TRACE_EXEC:
	case TRACE_THREAD_NAME:
	case TRACE_THREAD_END:
		return 0;
	case TRACE_PROCESS_END:
		return event->end.has_code ? HAS_CODE : 0;
	case TRACE_MAP:
	case TRACE_UNMAP:
		return (map->kernel ? KERNEL : 0) | (map->pe ? PE : 0) | (map->code ? CODE : 0);
	case TRACE_CPU:
		return (event->cpu_sample.weight_ns == previous->weight_ns ? SAME_WEIGHT : 0) |
		       (event->cpu_sample.stack_only ? STACK_ONLY : 0) |
		       (trace_stack_is_unwound(&event->cpu_sample.stack) ? UNWOUND : 0);
	default:
		return -1;
	}
}

static void put_rest(struct kept_writer *writer, const struct trace_event *event, int flags)
{
	switch (event->kind) {
	case TRACE_PROCESS_START:
	case TRACE_THREAD_START:
		put_start(writer, &event->start);
		break;
	case TRACE_EXEC:
	case TRACE_THREAD_NAME:
		put_text(writer, event->name);
		break;
	case TRACE_PROCESS_END:
		put_signed(&writer->events, event->end.exit_code);
		break;
	case TRACE_MAP:
	case TRACE_UNMAP:
		put_map(writer, &event->map);
		break;
	case TRACE_CPU:
		if (!(flags & SAME_WEIGHT))
			put_signed(&writer->events, event->cpu_sample.weight_ns);
		break;
	default:
		break;
	}
}

/* Its kind and flags, time less that of the one before, processor, process and thread if they are others, and the rest. */
static void put_event(struct kept_writer *writer, const struct trace_event *event, int flags)
{
	struct previous *previous = &writer->previous;
	size_t place = (size_t)event->cpu % PROCESSORS;

	if (previous->threads[place].pid == event->pid &&
	    previous->threads[place].tid == event->tid)
		flags |= SAME_THREAD;
	strbuf_addc(&writer->events, (char)(event->kind | flags));
	put_signed(&writer->events,
		   (int64_t)((uint64_t)event->time_ns - (uint64_t)previous->time_ns));
	put_signed(&writer->events, event->cpu);
	if (!(flags & SAME_THREAD)) {
		put_signed(&writer->events, event->pid);
		put_signed(&writer->events, event->tid);
	}
	put_rest(writer, event, flags);
	previous->time_ns = event->time_ns;
	previous->threads[place].pid = event->pid;
	previous->threads[place].tid = event->tid;
	if (event->kind == TRACE_CPU)
		previous->weight_ns = event->cpu_sample.weight_ns;
}

struct kept_writer *kept_writer_new(void)
{
	struct kept_writer *writer = xcalloc(1, sizeof(*writer));

	writer->events = (struct strbuf)STRBUF_INIT;
	writer->texts = (struct strset)STRSET_INIT;
	return writer;
}

void kept_writer_add(struct kept_writer *writer, const struct trace_event *event)
{
	int flags;

	if (event->kind == TRACE_MEMORY || event->kind == TRACE_TOUCH || event->kind == TRACE_HEAP)
		return;
	flags = flags_of(event, &writer->previous);
	if (flags < 0) {
		writer->failed = true;
		return;
	}
	put_event(writer, event, flags);
	writer->events_nr++;
}

/* All before the events. The texts must be known. */
static void put_front(struct strbuf *sb, struct strset *texts, const struct trace_facts *facts)
{
	struct trace_counters counters = facts->counters;
	struct strbuf counts = STRBUF_INIT;
	const uint64_t *value;

	for (size_t i = 0; (value = counter(&counters, i)); i++)
		put_number(sb, *value);
	put_number(&counts, facts->counts_nr);
	for (size_t i = 0; i < facts->counts_nr; i++) {
		put_number(&counts, strset_add(texts, facts->counts[i].name));
		put_number(&counts, facts->counts[i].nr);
		put_number(&counts, facts->counts[i].stacks);
		put_number(&counts, facts->counts[i].lost);
	}
	put_number(sb, texts->strings.nr);
	for (size_t i = 0; i < texts->strings.nr; i++)
		strbuf_add(sb, texts->strings.v[i], strlen(texts->strings.v[i]) + 1);
	strbuf_add(sb, counts.buf, counts.len);
	strbuf_release(&counts);
}

int kept_writer_add_text(struct kept_writer *writer, const struct trace_fingerprint *fingerprint,
			 const struct trace_facts *facts, struct strbuf *text, struct err *err)
{
	unsigned char head[HEAD_SIZE] = MAGIC;
	struct strbuf front = STRBUF_INIT;
	ZSTD_CCtx *context;
	bool ok;

	if (writer->failed || !is_undamaged(facts))
		return err_set(err, ERR_UNSUPPORTED, "the trace is damaged, or has other events");
	le_put32(head + MAGIC_SIZE, KEPT_EVENTS_VERSION);
	memcpy(head + MAGIC_SIZE + 4, fingerprint->hash, HASH_SIZE);
	strbuf_add(text, (const char *)head, sizeof(head));
	put_front(&front, &writer->texts, facts);
	put_number(&front, writer->events_nr);
	context = ZSTD_createCCtx();
	ok = context &&
	     !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)) &&
	     !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)) &&
	     zstd_text_add(context, front.buf, front.len, ZSTD_e_continue, text) &&
	     zstd_text_add(context, writer->events.buf, writer->events.len, ZSTD_e_end, text);
	ZSTD_freeCCtx(context);
	strbuf_release(&front);
	return ok ? 0 : err_set(err, ERR_FAILED, "zstd cannot compress");
}

void kept_writer_free(struct kept_writer *writer)
{
	if (!writer)
		return;
	strbuf_release(&writer->events);
	strset_release(&writer->texts);
	free(writer);
}

/* Events are delivered so many at a time. */
#define BATCH 4096

/* Larger texts, names of threads, times and weights are damage: no trace has them (trace/perf/perf_decode.c). */
#define TEXT_BYTES ((size_t)64 << 10)
#define NAME_BYTES ((size_t)255)
#define PATH_BYTES ((size_t)4105)
#define TIME_MAX   (INT64_C(1) << 62)
#define WEIGHT_MAX (INT64_C(1) << 53)

struct kept_reader {
	unsigned char *bytes; /* all that the frame has, and EVENT_MAX zeros */
	size_t at, nr;        /* in `bytes`: what is read next, and where they end */
	struct trace_counters counters;
	struct trace_event_count *counts; /* names are texts */
	size_t counts_nr;
	size_t *places; /* of texts in `bytes`, and where the last one ends */
	size_t places_nr, places_alloc;
	uint64_t events_nr, events_done;
	struct previous previous;
	struct trace_event events[BATCH];
};

/*
 * All of the frame at once: its checksum is at its end, and a view that has begun to count events cannot begin again with
 * those of the trace.
 */
static bool decompress(struct kept_reader *reader, const char *text, size_t len)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	uint64_t most = cost_records_max(len);
	ZSTD_inBuffer in = { text, len, 0 };
	size_t alloc = 0, rc = 1;

	while (context && rc && !ZSTD_isError(rc) && reader->nr <= most) {
		size_t in_before = in.pos;
		ZSTD_outBuffer out;

		ARRAY_GROW(reader->bytes, reader->nr + ZSTD_DStreamOutSize() + EVENT_MAX, alloc);
		out = (ZSTD_outBuffer){ reader->bytes, alloc - EVENT_MAX, reader->nr };
		rc = ZSTD_decompressStream(context, &out, &in);
		if (out.pos == reader->nr && in.pos == in_before)
			break;
		reader->nr = out.pos;
	}
	ZSTD_freeDCtx(context);
	if (rc || in.pos < len || reader->nr > most)
		return false;
	memset(reader->bytes + reader->nr, 0, EVENT_MAX);
	return true;
}

/* Of at most ten bytes. What is too large loses its upper bits: it is damage in any case. */
static uint64_t get_number(const unsigned char **at)
{
	const unsigned char *byte = *at;
	uint64_t value = *byte & 0x7f;

	for (int shift = 7; *byte & 0x80 && shift < 70; shift += 7) {
		byte++;
		value |= (uint64_t)(*byte & 0x7f) << (shift < 64 ? shift : 63);
	}
	*at = byte + 1;
	return value;
}

static int64_t get_signed(const unsigned char **at)
{
	return unzigzag(get_number(at));
}

static bool next_number(struct kept_reader *reader, uint64_t *value)
{
	const unsigned char *at = reader->bytes + reader->at;

	*value = get_number(&at);
	reader->at = (size_t)(at - reader->bytes);
	return reader->at <= reader->nr;
}

static bool read_counters(struct kept_reader *reader)
{
	uint64_t *value;

	for (size_t i = 0; (value = counter(&reader->counters, i)); i++) {
		if (!next_number(reader, value))
			return false;
	}
	return reader->counters.last_ns <= TIME_MAX && reader->counters.first_ns >= -TIME_MAX &&
	       reader->counters.first_ns <= TIME_MAX;
}

static bool read_texts(struct kept_reader *reader)
{
	uint64_t nr;

	if (!next_number(reader, &nr))
		return false;
	ARRAY_ADD(reader->places, reader->places_nr, reader->places_alloc, reader->at);
	while (reader->places_nr <= nr) {
		const unsigned char *text = reader->bytes + reader->at;
		const unsigned char *end = memchr(text, 0, reader->nr - reader->at);

		if (!end || (size_t)(end - text) >= TEXT_BYTES)
			return false;
		reader->at += (size_t)(end - text) + 1;
		ARRAY_ADD(reader->places, reader->places_nr, reader->places_alloc, reader->at);
	}
	return true;
}

static char *text_at(const struct kept_reader *reader, uint64_t number)
{
	return (char *)reader->bytes + reader->places[number];
}

static bool read_counts(struct kept_reader *reader)
{
	uint64_t nr, name, stacks;
	size_t alloc = 0;

	if (!next_number(reader, &nr))
		return false;
	for (; reader->counts_nr < nr; reader->counts_nr++) {
		struct trace_event_count count = { .name = NULL };

		if (!next_number(reader, &name) || !next_number(reader, &count.nr) ||
		    !next_number(reader, &stacks) || !next_number(reader, &count.lost) ||
		    name >= reader->places_nr - 1)
			return false;
		count.name = text_at(reader, name);
		count.stacks = stacks;
		ARRAY_GROW(reader->counts, reader->counts_nr + 1, alloc);
		reader->counts[reader->counts_nr] = count;
	}
	return true;
}

static int damaged(struct err *err)
{
	return err_set(err, ERR_CORRUPT, "its events are damaged");
}

int kept_reader_open(const char *text, size_t len, const struct trace_fingerprint *fingerprint,
		     struct kept_reader **reader, struct err *err)
{
	const unsigned char *at = (const unsigned char *)text;
	struct kept_reader *made;

	if (len < HEAD_SIZE || memcmp(at, MAGIC, MAGIC_SIZE) != 0)
		return err_set(err, ERR_CORRUPT, "it is no file of events");
	at += MAGIC_SIZE;
	if (le_get32(at) != KEPT_EVENTS_VERSION ||
	    memcmp(at + 4, fingerprint->hash, HASH_SIZE) != 0)
		return 1;
	made = xcalloc(1, sizeof(*made));
	if (!decompress(made, text + HEAD_SIZE, len - HEAD_SIZE) || !read_counters(made) ||
	    !read_texts(made) || !read_counts(made) || !next_number(made, &made->events_nr)) {
		kept_reader_free(made);
		return damaged(err);
	}
	*reader = made;
	return 0;
}

const struct trace_counters *kept_reader_counters(const struct kept_reader *reader)
{
	return &reader->counters;
}

const struct trace_event_count *kept_reader_counts(const struct kept_reader *reader, size_t *nr)
{
	*nr = reader->counts_nr;
	return reader->counts;
}

/* False: it has more than `most` bytes, or is not there. */
static bool get_text(const struct kept_reader *reader, const unsigned char **at, size_t most,
		     const char **text)
{
	uint64_t number = get_number(at);

	*text = NULL;
	if (!number)
		return true;
	if (number >= reader->places_nr)
		return false;
	*text = text_at(reader, number - 1);
	return reader->places[number] - reader->places[number - 1] - 1 <= most;
}

static bool is_id(int64_t id)
{
	return id >= INT32_MIN && id <= INT32_MAX;
}

static bool get_start(const struct kept_reader *reader, const unsigned char **at, int flags,
		      struct trace_start *start)
{
	*start = (struct trace_start){ .copied = flags & COPIED,
				       .starts = flags & STARTS,
				       .has_end = flags & HAS_END };
	start->ppid = get_signed(at);
	start->by_tid = get_signed(at);
	return is_id(start->ppid) && is_id(start->by_tid) &&
	       get_text(reader, at, PATH_BYTES, &start->image) &&
	       get_text(reader, at, TEXT_BYTES, &start->command_line);
}

static bool get_map(const struct kept_reader *reader, const unsigned char **at, int flags,
		    struct trace_map *map)
{
	uint64_t id_length;

	*map = (struct trace_map){ .kernel = flags & KERNEL,
				   .pe = flags & PE,
				   .code = flags & CODE };
	map->address = get_number(at);
	map->length = get_number(at);
	map->offset = get_number(at);
	if (!get_text(reader, at, PATH_BYTES, &map->path) || !map->path ||
	    !get_text(reader, at, PATH_BYTES, &map->debug_path))
		return false;
	id_length = get_number(at);
	if (id_length > MODULE_ID_MAX)
		return false;
	map->id_length = (uint8_t)id_length;
	memcpy(map->id, *at, id_length);
	*at += id_length;
	return true;
}

static bool get_sample(struct previous *previous, const unsigned char **at, int flags,
		       struct trace_cpu *sample)
{
	if (!(flags & SAME_WEIGHT))
		previous->weight_ns = get_signed(at);
	*sample = (struct trace_cpu){ .weight_ns = previous->weight_ns,
				      .stack_only = flags & STACK_ONLY };
	sample->stack.origin = flags & UNWOUND ? STACK_UNWOUND : STACK_CHAIN;
	return sample->weight_ns >= 0 && sample->weight_ns <= WEIGHT_MAX;
}

static bool get_rest(struct kept_reader *reader, const unsigned char **at, int flags,
		     struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_PROCESS_START:
	case TRACE_THREAD_START:
		return get_start(reader, at, flags, &event->start);
	case TRACE_EXEC:
	case TRACE_THREAD_NAME:
		return get_text(reader, at, NAME_BYTES, &event->name) && event->name;
	case TRACE_THREAD_END:
		return true;
	case TRACE_PROCESS_END:
		event->end = (struct trace_end){ flags & HAS_CODE, get_signed(at) };
		return true;
	case TRACE_MAP:
	case TRACE_UNMAP:
		return get_map(reader, at, flags, &event->map);
	case TRACE_CPU:
		return get_sample(&reader->previous, at, flags, &event->cpu_sample);
	default:
		return false;
	}
}

static bool get_event(struct kept_reader *reader, struct trace_event *event)
{
	const unsigned char *at = reader->bytes + reader->at;
	struct previous *previous = &reader->previous;
	int flags = *at++;
	int64_t cpu;
	size_t place;

	*event = trace_event_none;
	event->kind = (enum trace_event_kind)(flags & KIND_MASK);
	previous->time_ns = (int64_t)((uint64_t)previous->time_ns + (uint64_t)get_signed(&at));
	event->time_ns = previous->time_ns;
	cpu = get_signed(&at);
	place = (size_t)cpu % PROCESSORS;
	if (!(flags & SAME_THREAD)) {
		previous->threads[place].pid = get_signed(&at);
		previous->threads[place].tid = get_signed(&at);
	}
	event->cpu = (int32_t)cpu;
	event->pid = previous->threads[place].pid;
	event->tid = previous->threads[place].tid;
	if (!is_id(cpu) || !is_id(event->pid) || !is_id(event->tid) || event->time_ns > TIME_MAX ||
	    event->time_ns < -TIME_MAX || !get_rest(reader, &at, flags, event))
		return false;
	reader->at = (size_t)(at - reader->bytes);
	return reader->at <= reader->nr;
}

int kept_reader_next(struct kept_reader *reader, const struct trace_event **events, size_t *nr,
		     struct err *err)
{
	uint64_t left = reader->events_nr - reader->events_done;
	size_t batch = left < BATCH ? (size_t)left : BATCH;

	for (size_t i = 0; i < batch; i++) {
		if (!get_event(reader, &reader->events[i]))
			return damaged(err);
	}
	reader->events_done += batch;
	*events = reader->events;
	*nr = batch;
	return batch > 0;
}

uint64_t kept_reader_done(const struct kept_reader *reader, uint64_t *all)
{
	*all = reader->events_nr;
	return reader->events_done;
}

void kept_reader_free(struct kept_reader *reader)
{
	if (!reader)
		return;
	free(reader->bytes);
	free(reader->counts);
	free(reader->places);
	free(reader);
}
