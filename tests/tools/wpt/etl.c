#include "tools/wpt/etl.h"

#include <stdlib.h>
#include <string.h>

#include "convert/etl_events.h"
#include "util/array.h"

#define BUFFER_SIZE   8192
#define BUFFER_HEADER 72

/* Offsets in a buffer's header. */
#define AT_FILLED 0x30
#define AT_TYPE   0x36

#define BUFFER_IS_HEADER 4

/* Kinds of event headers, each with 0xc0 in the byte after. */
#define SYSTEM_64   2
#define PERFINFO_64 17
#define EVENT_64    19
#define FULL_64     20
#define TYPED       0xc0

/* Of the header event's payload. */
#define HEADER_PAYLOAD  0x118
#define AT_END_TIME     16
#define AT_EVENTS_LOST  48
#define AT_START_TIME   0x108
#define AT_HEADER_EVENT BUFFER_HEADER
#define SYSTEM_HEADER   32
#define TICKS_A_SECOND  10000000

/* One of a file that is merged, with its bytes. */
struct etl_event {
	uint64_t ticks;
	size_t order, nr;
	char *bytes;
};

static uint64_t get(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

void etl_begin(struct etl *etl, const struct etl_header *header)
{
	const struct etl_writer_options options = {
		.buffer_size = BUFFER_SIZE,
		.cpus = 1,
		.build = header->build,
		.mode = header->mode,
		.frequency = TICKS_A_SECOND,
		.first_tick = (uint64_t)header->start_ticks,
		.start_time = header->start_filetime,
		.session = header->session,
		.file = header->file,
	};
	struct etl_sink sink;

	*etl = (struct etl){ .data = STRBUF_INIT };
	sink = etl_sink_memory(&etl->data);
	etl->writer = etl_writer_new(&options, &sink);
	etl_writer_lost(etl->writer, header->events_lost, 0);
	etl->end_ticks = header->start_ticks;
	if (header->end_filetime > header->start_filetime)
		etl->end_ticks += header->end_filetime - header->start_filetime;
}

void etl_mark(struct etl *etl, int64_t ticks, const char *text)
{
	etl_writer_at(etl->writer, (uint64_t)ticks, 0);
	etl_write_mark(etl->writer, text);
}

void etl_process(struct etl *etl, int64_t ticks, int opcode, uint32_t pid, uint32_t parent,
		 const char *image, const char *command_line)
{
	const struct etl_writer_process process = {
		.pid = pid, .parent = parent, .image = image, .command_line = command_line
	};

	etl_writer_at(etl->writer, (uint64_t)ticks, 0);
	etl_write_process(etl->writer, (enum etl_event_life)opcode, &process);
}

void etl_interval(struct etl *etl, int64_t ticks, int opcode, uint32_t interval)
{
	etl_writer_at(etl->writer, (uint64_t)ticks, 0);
	etl_write_interval(etl->writer, (enum etl_event_interval)opcode, interval, interval);
}

/* One of the heap provider: its fields are pointers, and but for that of a heap's end a source. */
static void add_heap_call(struct etl *etl, unsigned opcode, uint32_t pid, const uint64_t *fields,
			  size_t nr)
{
	etl_writer_system(etl->writer, 16, opcode, 2, pid, pid + 1);
	for (size_t i = 0; i < nr; i++)
		etl_writer_add(etl->writer, fields[i], 8);
	etl_writer_add(etl->writer, 3, 4);
	etl_writer_end(etl->writer);
}

void etl_heap_calls(struct etl *etl, int64_t ticks, uint32_t pid)
{
	static const uint64_t heap = 0x1a0000, address = 0x20000000010;

	etl_writer_at(etl->writer, (uint64_t)ticks, 0);
	add_heap_call(etl, 32, pid, &heap, 1);
	for (uint64_t i = 0; i < 3; i++)
		add_heap_call(etl, 33, pid,
			      (uint64_t[]){ heap, UINT64_C(65536) << i, address + i * 0x100000 },
			      3);
	add_heap_call(etl, 36, pid, (uint64_t[]){ heap, address }, 2);
}

/* A number at the end of an event that is made. */
static void add_number(struct strbuf *sb, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		strbuf_addc(sb, (char)(value >> 8 * i));
}

/* An event of a manifest has a header of its own, which the writer does not know. */
static void write_manifest_event(struct etl *etl, int64_t ticks, uint32_t pid, unsigned id,
				 const struct strbuf *payload)
{
	static const unsigned char guid[] = { 0xfa, 0x2a, 0x1d, 0x90, 0xf6, 0x4f, 0xd7, 0x46,
					      0x8d, 0x0e, 0x53, 0x64, 0x5e, 0x1a, 0x47, 0xf5 };
	struct strbuf event = STRBUF_INIT;

	add_number(&event, 80 + payload->len, 2);
	add_number(&event, TYPED << 8 | EVENT_64, 2);
	add_number(&event, 0, 4);
	add_number(&event, pid + 1, 4);
	add_number(&event, pid, 4);
	add_number(&event, (uint64_t)ticks, 8);
	strbuf_add(&event, (const char *)guid, sizeof(guid));
	add_number(&event, id | 1u << 16, 4); /* version 1 */
	strbuf_pad(&event, 0, 80);
	strbuf_add(&event, payload->buf, payload->len);
	etl_writer_at(etl->writer, (uint64_t)ticks, 0);
	etl_writer_copy(etl->writer, event.buf, event.len);
	strbuf_release(&event);
}

void etl_heap_snapshot(struct etl *etl, int64_t ticks, uint32_t pid, uint32_t number)
{
	static const uint32_t lengths[] = { 3000, 500 };
	struct strbuf payload = STRBUF_INIT;
	uint32_t total = 0;

	for (uint32_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		strbuf_clear(&payload);
		add_number(&payload, number, 4);
		add_number(&payload, i, 4);
		add_number(&payload, lengths[i], 4);
		strbuf_pad(&payload, '?', payload.len + lengths[i]);
		write_manifest_event(etl, ticks, pid, 100, &payload);
		total += lengths[i];
	}
	strbuf_clear(&payload);
	add_number(&payload, number, 4);
	add_number(&payload, total, 4);
	write_manifest_event(etl, ticks, pid, 200, &payload);
	strbuf_release(&payload);
}

bool etl_check(const void *data, size_t len)
{
	const unsigned char *at = data;

	return len >= BUFFER_HEADER + SYSTEM_HEADER + HEADER_PAYLOAD &&
	       get(at + AT_TYPE, 2) == BUFFER_IS_HEADER && at[AT_HEADER_EVENT + 2] == SYSTEM_64 &&
	       at[AT_HEADER_EVENT + 3] == TYPED && get(at + AT_HEADER_EVENT + 6, 2) == 0;
}

void etl_read_times(const void *data, size_t len, struct etl_header *header)
{
	const unsigned char *event = (const unsigned char *)data + AT_HEADER_EVENT;
	const unsigned char *payload = event + SYSTEM_HEADER;

	if (!etl_check(data, len))
		return;
	header->start_ticks = (int64_t)get(event + 16, 8);
	header->start_filetime = (int64_t)get(payload + AT_START_TIME, 8);
	header->end_filetime = (int64_t)get(payload + AT_END_TIME, 8);
	header->events_lost = (uint32_t)get(payload + AT_EVENTS_LOST, 4);
}

static int add_event(struct etl *etl, const unsigned char *at, size_t most, size_t *size)
{
	struct etl_event *event;

	if (most < 24)
		return -1;
	*size = (size_t)get(at + (at[2] == FULL_64 ? 0 : 4), 2);
	if (*size < 24 || *size > most || at[3] != TYPED)
		return -1;
	ARRAY_GROW(etl->events, etl->events_nr + 1, etl->events_alloc);
	event = &etl->events[etl->events_nr];
	event->ticks = get(at + (at[2] == PERFINFO_64 ? 8 : 16), 8);
	event->order = etl->events_nr++;
	event->nr = *size;
	event->bytes = xmalloc(*size);
	memcpy(event->bytes, at, *size);
	return 0;
}

int etl_append(struct etl *etl, const void *data, size_t len)
{
	const unsigned char *at = data;
	size_t size, step;

	if (!etl_check(data, len))
		return -1;
	for (size_t off = get(at, 4); off + BUFFER_HEADER <= len; off += size) {
		size_t filled = get(at + off + AT_FILLED, 4);

		size = get(at + off, 4);
		if (size != BUFFER_SIZE || size > len - off || filled > size ||
		    filled < BUFFER_HEADER)
			return -1;
		for (size_t in = BUFFER_HEADER; in < filled; in += (step + 7) & ~(size_t)7)
			if (add_event(etl, at + off + in, filled - in, &step))
				return -1;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct etl_event *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void etl_end(struct etl *etl)
{
	if (etl->events_nr)
		qsort(etl->events, etl->events_nr, sizeof(*etl->events), by_time);
	for (size_t i = 0; i < etl->events_nr; i++) {
		etl_writer_at(etl->writer, etl->events[i].ticks, 0);
		etl_writer_copy(etl->writer, etl->events[i].bytes, etl->events[i].nr);
		free(etl->events[i].bytes);
	}
	free(etl->events);
	etl_writer_at(etl->writer, (uint64_t)etl->end_ticks, 0);
	etl_writer_finish(etl->writer);
	etl_writer_free(etl->writer);
}
