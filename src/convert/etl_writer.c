#include "convert/etl_writer.h"

#include <stdlib.h>
#include <string.h>

#include "convert/xpress_compress.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/utf8.h"

#define BUFFER_SIZE     65536
#define BUFFER_HEADER   72
#define BUFFER_FLUSHED  3
#define BUFFER_PAD      0xff
#define FLAG_CPU_INDEX  0x20
#define FLAG_COMPRESSED 0x40
#define TYPE_GENERIC    0
#define TYPE_HEADER     4
#define LOGGER_ID       3
#define MODE_COMPRESSED UINT32_C(0x04000000)

/* Offsets in a buffer's header. */
enum {
	AT_BUFFER_SIZE = 0x00,
	AT_SAVED = 0x04,
	AT_CURRENT = 0x08,
	AT_TIME = 0x10,
	AT_SEQUENCE = 0x18,
	AT_CPU = 0x28,
	AT_LOGGER_ID = 0x2a,
	AT_STATE = 0x2c,
	AT_FILLED = 0x30,
	AT_FLAGS = 0x34,
	AT_TYPE = 0x36,
};

/* Types of event headers; the next byte is 0xc0. */
enum { SYSTEM_64 = 2, PERFINFO_64 = 17, FULL_64 = 20, TYPED = 0xc0 };
#define SYSTEM_SIZE 32

#define EVENT_MAX UINT16_MAX

/* Offsets in the header event's payload, of fields that are set at the end. */
enum {
	AT_END_TIME = 16,
	AT_BUFFERS_WRITTEN = 36,
	AT_EVENTS_LOST = 48,
	AT_BUFFERS_LOST = 0x114,
	TIME_ZONE_SIZE = 176,
};

#define FILETIME_SECOND 10000000

#define MASKS ARRAY_SIZE(((struct etl_writer_options *)NULL)->masks)
enum { MASKS_AT_START = 5, MASKS_AT_END = 32 };

struct stream {
	struct strbuf bytes; /* of the open buffer; empty: none is open */
	uint64_t last_tick;
};

struct etl_writer {
	struct etl_writer_options options;
	struct etl_sink sink;
	struct stream *streams; /* by processor */
	struct strbuf header;   /* the first buffer, kept for the end */
	struct strbuf event, compressed;
	size_t at_size; /* of the event's size in its header */
	uint64_t tick, last_tick;
	uint32_t cpu, buffers, events_lost, buffers_lost;
};

static void put(char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(value >> (8 * i));
}

static void memory_write(void *data, const void *bytes, size_t nr)
{
	strbuf_add(data, bytes, nr);
}

static void memory_rewrite(void *data, const void *bytes, size_t nr)
{
	memcpy(((struct strbuf *)data)->buf, bytes, nr);
}

struct etl_sink etl_sink_memory(struct strbuf *bytes)
{
	return (struct etl_sink){ bytes, memory_write, memory_rewrite };
}

static void open_buffer(const struct etl_writer *writer, struct strbuf *bytes, uint32_t cpu,
			unsigned type)
{
	strbuf_clear(bytes);
	strbuf_pad(bytes, '\0', BUFFER_HEADER);
	put(bytes->buf + AT_CPU, cpu, 2);
	put(bytes->buf + AT_LOGGER_ID, LOGGER_ID, 2);
	put(bytes->buf + AT_STATE,
	    type == TYPE_HEADER ? (unsigned)writer->options.compression : BUFFER_FLUSHED, 4);
	put(bytes->buf + AT_FLAGS, FLAG_CPU_INDEX, 2);
	put(bytes->buf + AT_TYPE, type, 2);
}

/* Complete the header of a full buffer. */
static void close_buffer(struct etl_writer *writer, struct strbuf *bytes, uint64_t tick)
{
	size_t filled = bytes->len;

	strbuf_pad(bytes, (char)BUFFER_PAD, writer->options.buffer_size);
	put(bytes->buf + AT_BUFFER_SIZE, bytes->len, 4);
	put(bytes->buf + AT_SAVED, filled, 4);
	put(bytes->buf + AT_CURRENT, filled, 4);
	put(bytes->buf + AT_FILLED, filled, 4);
	put(bytes->buf + AT_TIME, tick, 8);
	put(bytes->buf + AT_SEQUENCE, writer->buffers++, 8);
}

/* Compress a buffer into `compressed`. False: not wanted, or not smaller. */
static bool compress_buffer(struct etl_writer *writer, const struct strbuf *bytes, size_t filled)
{
	struct strbuf *compressed = &writer->compressed;

	if (!writer->options.compression)
		return false;
	strbuf_clear(compressed);
	strbuf_add(compressed, bytes->buf, BUFFER_HEADER);
	if (writer->options.compression == ETL_COMPRESSED_HUFFMAN)
		xpress_huffman_compress(compressed, bytes->buf + BUFFER_HEADER,
					filled - BUFFER_HEADER);
	else
		xpress_compress(compressed, bytes->buf + BUFFER_HEADER, filled - BUFFER_HEADER);
	if (compressed->len >= bytes->len)
		return false;
	put(compressed->buf + AT_BUFFER_SIZE, compressed->len, 4);
	put(compressed->buf + AT_FLAGS, FLAG_CPU_INDEX | FLAG_COMPRESSED, 2);
	return true;
}

static void flush(struct etl_writer *writer, struct stream *stream)
{
	struct strbuf *bytes = &stream->bytes;
	size_t filled = bytes->len;

	if (!filled)
		return;
	close_buffer(writer, bytes, stream->last_tick);
	if (compress_buffer(writer, bytes, filled))
		bytes = &writer->compressed;
	writer->sink.write(writer->sink.data, bytes->buf, bytes->len);
	strbuf_clear(&stream->bytes);
}

static void begin(struct etl_writer *writer, size_t at_size, unsigned kind)
{
	strbuf_clear(&writer->event);
	writer->at_size = at_size;
	etl_writer_add(writer, 0, 2);
	etl_writer_add(writer, kind | TYPED << 8, 2);
}

/* The common start of SYSTEM and PERFINFO headers. */
static void begin_kernel(struct etl_writer *writer, unsigned kind, unsigned group, unsigned opcode,
			 unsigned version)
{
	begin(writer, 4, kind);
	put(writer->event.buf, version, 2);
	etl_writer_add(writer, 0, 2);
	etl_writer_add(writer, opcode | group << 8, 2);
}

void etl_writer_system(struct etl_writer *writer, unsigned group, unsigned opcode, unsigned version,
		       uint32_t pid, uint32_t tid)
{
	begin_kernel(writer, SYSTEM_64, group, opcode, version);
	etl_writer_add(writer, tid, 4);
	etl_writer_add(writer, pid, 4);
	etl_writer_add(writer, writer->tick, 8);
	etl_writer_add(writer, 0, 8); /* kernel and user time */
}

void etl_writer_perfinfo(struct etl_writer *writer, unsigned group, unsigned opcode,
			 unsigned version)
{
	begin_kernel(writer, PERFINFO_64, group, opcode, version);
	etl_writer_add(writer, writer->tick, 8);
}

void etl_writer_classic(struct etl_writer *writer, const unsigned char *guid, unsigned opcode,
			unsigned version)
{
	begin(writer, 0, FULL_64);
	etl_writer_add(writer, opcode, 2);
	etl_writer_add(writer, version, 2);
	etl_writer_add(writer, 0, 8); /* thread and process */
	etl_writer_add(writer, writer->tick, 8);
	etl_writer_add_bytes(writer, guid, 16);
	etl_writer_add(writer, 0, 8);
}

void etl_writer_add(struct etl_writer *writer, uint64_t value, unsigned bytes)
{
	char raw[8];

	put(raw, value, bytes);
	strbuf_add(&writer->event, raw, bytes);
}

void etl_writer_add_bytes(struct etl_writer *writer, const void *bytes, size_t nr)
{
	strbuf_add(&writer->event, bytes, nr);
}

void etl_writer_add_text(struct etl_writer *writer, const char *text)
{
	strbuf_add(&writer->event, text, strlen(text) + 1);
}

bool etl_writer_add_wide(struct etl_writer *writer, const char *text, size_t most)
{
	size_t end = writer->event.len + most - 2, left = strlen(text), used;

	for (; left; text += used, left -= used) {
		uint32_t c = utf8_next(text, left, &used);
		unsigned bytes = c != UTF8_BAD && c > 0xffff ? 4 : 2;

		if (writer->event.len + bytes > end)
			break;
		if (c == UTF8_BAD)
			c = 0xfffd;
		if (bytes == 4) {
			etl_writer_add(writer, 0xd800 + ((c - 0x10000) >> 10), 2);
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		etl_writer_add(writer, c, 2);
	}
	etl_writer_add(writer, 0, 2);
	return left > 0;
}

size_t etl_writer_room(const struct etl_writer *writer)
{
	size_t most = writer->options.buffer_size - BUFFER_HEADER;

	return (most < EVENT_MAX ? most : EVENT_MAX) - writer->event.len;
}

static void end_event(struct etl_writer *writer, struct strbuf *bytes)
{
	put(writer->event.buf + writer->at_size, writer->event.len, 2);
	strbuf_add(bytes, writer->event.buf, writer->event.len);
	strbuf_pad(bytes, '\0', (bytes->len + 7) & ~(size_t)7);
}

void etl_writer_end(struct etl_writer *writer)
{
	struct stream *stream = &writer->streams[writer->cpu];
	struct strbuf *bytes = &stream->bytes;

	if (bytes->len && bytes->len + writer->event.len > writer->options.buffer_size)
		flush(writer, stream);
	if (!bytes->len)
		open_buffer(writer, bytes, writer->cpu, TYPE_GENERIC);
	end_event(writer, bytes);
	stream->last_tick = writer->tick;
}

void etl_writer_copy(struct etl_writer *writer, const void *event, size_t nr)
{
	const unsigned char *bytes = event;

	strbuf_clear(&writer->event);
	etl_writer_add_bytes(writer, event, nr);
	writer->at_size = bytes[2] == FULL_64 ? 0 : 4;
	etl_writer_end(writer);
}

void etl_writer_at(struct etl_writer *writer, uint64_t tick, uint32_t cpu)
{
	writer->tick = tick;
	writer->cpu = cpu < writer->options.cpus ? cpu : 0;
	if (tick > writer->last_tick)
		writer->last_tick = tick;
}

void etl_writer_flush(struct etl_writer *writer, uint32_t cpu)
{
	flush(writer, &writer->streams[cpu]);
}

static void add_times(struct etl_writer *writer)
{
	const struct etl_writer_options *options = &writer->options;
	int64_t running = (int64_t)(options->first_tick / options->frequency * FILETIME_SECOND);

	for (unsigned i = 0; i < TIME_ZONE_SIZE; i += 8) /* UTC */
		etl_writer_add(writer, 0, 8);
	etl_writer_add(
		writer,
		(uint64_t)(running < options->start_time ? options->start_time - running : 0),
		8); /* boot */
	etl_writer_add(writer, options->frequency, 8);
	etl_writer_add(writer, (uint64_t)options->start_time, 8);
	etl_writer_add(writer, 1, 4); /* QPC */
	etl_writer_add(writer, 0, 4); /* buffers lost */
}

static bool has_masks(const struct etl_writer *writer)
{
	for (unsigned i = 0; i < MASKS; i++)
		if (writer->options.masks[i])
			return true;
	return false;
}

static void begin_masks(struct etl_writer *writer, unsigned opcode)
{
	etl_writer_system(writer, 0, opcode, 2, 0, 0);
	for (unsigned i = 0; i < MASKS; i++)
		etl_writer_add(writer, writer->options.masks[i], 4);
	etl_writer_add(writer, 0, 4); /* version of kernel events */
}

static void add_header_event(struct etl_writer *writer)
{
	const struct etl_writer_options *options = &writer->options;

	etl_writer_system(writer, 0, 0, 2, 0, 0);
	etl_writer_add(writer, options->buffer_size, 4);
	/* Windows 10.0; compressed files have another version of the format. */
	etl_writer_add(writer, options->compression ? 0x0002000a : 0x0501000a, 4);
	etl_writer_add(writer, options->build, 4);
	etl_writer_add(writer, options->cpus, 4);
	etl_writer_add(writer, 0, 8);      /* end time: set at the end */
	etl_writer_add(writer, 156250, 4); /* timer resolution */
	etl_writer_add(writer, 0, 4);      /* maximum file size */
	etl_writer_add(writer, options->mode | (options->compression ? MODE_COMPRESSED : 0), 4);
	etl_writer_add(writer, 0, 4);    /* buffers written */
	etl_writer_add(writer, 1, 4);    /* start buffers */
	etl_writer_add(writer, 8, 4);    /* size of a pointer */
	etl_writer_add(writer, 0, 4);    /* events lost */
	etl_writer_add(writer, 3000, 4); /* MHz */
	etl_writer_add(writer, 0, 8);
	etl_writer_add(writer, 0, 8);
	add_times(writer);
	etl_writer_add_wide(writer, options->session, 1024);
	etl_writer_add_wide(writer, options->file, 1024);
	end_event(writer, &writer->header);
	if (has_masks(writer)) {
		begin_masks(writer, MASKS_AT_START);
		end_event(writer, &writer->header);
	}
}

struct etl_writer *etl_writer_new(const struct etl_writer_options *options,
				  const struct etl_sink *sink)
{
	struct etl_writer *writer = xcalloc(1, sizeof(*writer));

	writer->options = *options;
	if (!writer->options.buffer_size)
		writer->options.buffer_size = BUFFER_SIZE;
	if (!writer->options.cpus)
		writer->options.cpus = 1;
	writer->sink = *sink;
	writer->streams = xcalloc(writer->options.cpus, sizeof(*writer->streams));
	for (uint32_t i = 0; i < writer->options.cpus; i++)
		writer->streams[i].bytes = (struct strbuf)STRBUF_INIT;
	writer->header = writer->event = writer->compressed = (struct strbuf)STRBUF_INIT;
	etl_writer_at(writer, options->first_tick, 0);
	open_buffer(writer, &writer->header, 0, TYPE_HEADER);
	add_header_event(writer);
	close_buffer(writer, &writer->header, 0);
	writer->sink.write(writer->sink.data, writer->header.buf, writer->header.len);
	return writer;
}

void etl_writer_free(struct etl_writer *writer)
{
	if (!writer)
		return;
	for (uint32_t i = 0; i < writer->options.cpus; i++)
		strbuf_release(&writer->streams[i].bytes);
	free(writer->streams);
	strbuf_release(&writer->header);
	strbuf_release(&writer->event);
	strbuf_release(&writer->compressed);
	free(writer);
}

void etl_writer_lost(struct etl_writer *writer, uint32_t events, uint32_t buffers)
{
	writer->events_lost = events;
	writer->buffers_lost = buffers;
}

/* The FILETIME of the last tick. Seconds and the remainder are converted separately to avoid overflow. */
static int64_t end_time(const struct etl_writer *writer)
{
	uint64_t frequency = writer->options.frequency;
	uint64_t ticks = writer->last_tick - writer->options.first_tick;

	return writer->options.start_time + (int64_t)(ticks / frequency * FILETIME_SECOND) +
	       (int64_t)(ticks % frequency * FILETIME_SECOND / frequency);
}

void etl_writer_finish(struct etl_writer *writer)
{
	char *payload = writer->header.buf + BUFFER_HEADER + SYSTEM_SIZE;

	if (has_masks(writer)) {
		etl_writer_at(writer, writer->last_tick, 0);
		begin_masks(writer, MASKS_AT_END);
		etl_writer_end(writer);
	}
	for (uint32_t i = 0; i < writer->options.cpus; i++)
		flush(writer, &writer->streams[i]);
	put(payload + AT_END_TIME, (uint64_t)end_time(writer), 8);
	put(payload + AT_BUFFERS_WRITTEN, writer->buffers, 4);
	put(payload + AT_EVENTS_LOST, writer->events_lost, 4);
	put(payload + AT_BUFFERS_LOST, writer->buffers_lost, 4);
	writer->sink.rewrite(writer->sink.data, writer->header.buf, writer->header.len);
}
