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
