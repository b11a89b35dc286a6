#include "tools/wpt/etl.h"

#include <string.h>

#include "util/utf8.h"

#define BUFFER_SIZE   8192
#define BUFFER_HEADER 72

/* Offsets in a buffer's header. */
#define AT_BUFFER_SIZE 0x00
#define AT_SAVED       0x04
#define AT_CURRENT     0x08
#define AT_TIME        0x10
#define AT_SEQUENCE    0x18
#define AT_LOGGER_ID   0x2a
#define AT_STATE       0x2c
#define AT_FILLED      0x30
#define AT_FLAGS       0x34
#define AT_TYPE        0x36

#define BUFFER_FLUSHED         3
#define BUFFER_PROCESSOR_INDEX 0x20
#define BUFFER_IS_HEADER       4
#define BUFFER_PAD             0xff

#define LOGGER_ID 3

/* Kinds of event headers, each with 0xc0 in the byte after. */
#define SYSTEM_64   2
#define PERFINFO_64 17
#define FULL_64     20
#define TYPED       0xc0

#define GROUP_EVENT_TRACE 0
#define GROUP_PROCESS     3
#define GROUP_PERFINFO    15

#define MARK_OPCODE 34

/* Of the header event's payload. */
#define HEADER_PAYLOAD     0x118
#define AT_END_TIME        16
#define AT_BUFFERS_WRITTEN 36
#define AT_EVENTS_LOST     48
#define AT_START_TIME      0x108
#define AT_HEADER_EVENT    BUFFER_HEADER
#define SYSTEM_HEADER      32
#define TICKS_A_SECOND     10000000
#define CLOCK_QPC          1

/* ce1dbfb4-137e-4da6-87b0-3f59aa102cbc */
static const unsigned char perfinfo_guid[16] = { 0xb4, 0xbf, 0x1d, 0xce, 0x7e, 0x13, 0xa6, 0x4d,
						 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc };

static void put(char *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static void add(struct strbuf *sb, uint64_t value, int bytes)
{
	char raw[8];

	put(raw, value, bytes);
	strbuf_add(sb, raw, (size_t)bytes);
}

static void add_zeros(struct strbuf *sb, size_t count)
{
	while (count--)
		strbuf_addc(sb, '\0');
}

static void add_utf16(struct strbuf *sb, const char *s)
{
	for (size_t left = strlen(s), used; left; s += used, left -= used) {
		uint32_t c = utf8_next(s, left, &used);

		if (c == UTF8_BAD)
			c = 0xfffd;
		if (c > 0xffff) {
			add(sb, 0xd800 + ((c - 0x10000) >> 10), 2);
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		add(sb, c, 2);
	}
	add(sb, 0, 2);
}

static void close_buffer(struct etl *etl)
{
	size_t filled = etl->data.len - etl->buffer;
	char *at;

	while (etl->data.len - etl->buffer < BUFFER_SIZE)
		strbuf_addc(&etl->data, (char)BUFFER_PAD);
	at = etl->data.buf + etl->buffer;
	put(at + AT_BUFFER_SIZE, BUFFER_SIZE, 4);
	put(at + AT_SAVED, filled, 4);
	put(at + AT_CURRENT, filled, 4);
	put(at + AT_FILLED, filled, 4);
	if (etl->buffers > 1)
		put(at + AT_TIME, (uint64_t)etl->last_ticks, 8);
}

static void open_buffer(struct etl *etl, int type)
{
	char *at;

	etl->buffer = etl->data.len;
	add_zeros(&etl->data, BUFFER_HEADER);
	at = etl->data.buf + etl->buffer;
	put(at + AT_SEQUENCE, etl->buffers++, 8);
	put(at + AT_LOGGER_ID, LOGGER_ID, 2);
	put(at + AT_STATE, BUFFER_FLUSHED, 4);
	put(at + AT_FLAGS, BUFFER_PROCESSOR_INDEX, 2);
	put(at + AT_TYPE, (uint64_t)type, 2);
}

/* An event with its size in place, cut to what fits a buffer. */
static void add_event(struct etl *etl, int64_t ticks, const struct strbuf *event)
{
	size_t room = BUFFER_SIZE - (etl->data.len - etl->buffer);

	if (event->len > BUFFER_SIZE - BUFFER_HEADER)
		return;
	if (event->len > room) {
		close_buffer(etl);
		open_buffer(etl, 0);
	}
	etl->last_ticks = ticks;
	strbuf_add(&etl->data, event->buf, event->len);
	while (etl->data.len % 8)
		strbuf_addc(&etl->data, '\0');
}

static void begin_system(struct strbuf *event, int version, int group, int opcode, int64_t ticks)
{
	add(event, (uint64_t)version, 2);
	add(event, SYSTEM_64, 1);
	add(event, TYPED, 1);
	add(event, 0, 2);
	add(event, (uint64_t)opcode, 1);
	add(event, (uint64_t)group, 1);
	add(event, 0, 4);
	add(event, 0, 4);
	add(event, (uint64_t)ticks, 8);
	add(event, 0, 8);
}

static void end_event(struct etl *etl, int64_t ticks, struct strbuf *event, size_t at_size)
{
	put(event->buf + at_size, event->len, 2);
	add_event(etl, ticks, event);
	strbuf_release(event);
}

void etl_begin(struct etl *etl, const struct etl_header *header)
{
	struct strbuf event = STRBUF_INIT;

	*etl = (struct etl){ .data = STRBUF_INIT };
	open_buffer(etl, BUFFER_IS_HEADER);
	begin_system(&event, 2, GROUP_EVENT_TRACE, 0, header->start_ticks);
	add(&event, BUFFER_SIZE, 4);
	add(&event, 0x0501000a, 4); /* Windows 10.0, format 1.5 */
	add(&event, header->build, 4);
	add(&event, 1, 4); /* processors */
	add(&event, (uint64_t)header->end_filetime, 8);
	add(&event, 156250, 4); /* timer resolution */
	add(&event, 0, 4);      /* maximum file size */
	add(&event, header->mode, 4);
	add(&event, 0, 4); /* buffers written, known at the end */
	add(&event, 1, 4); /* start buffers */
	add(&event, 8, 4); /* size of a pointer */
	add(&event, header->events_lost, 4);
	add(&event, 3000, 4); /* MHz */
	add_zeros(&event, 16);
	add_zeros(&event, 176); /* time zone: UTC */
	add(&event, (uint64_t)(header->start_filetime - header->start_ticks), 8);
	add(&event, TICKS_A_SECOND, 8);
	add(&event, (uint64_t)header->start_filetime, 8);
	add(&event, CLOCK_QPC, 4);
	add(&event, 0, 4); /* buffers lost */
	add_utf16(&event, header->session);
	add_utf16(&event, header->file);
	end_event(etl, header->start_ticks, &event, 4);
	close_buffer(etl);
	open_buffer(etl, 0);
}

void etl_mark(struct etl *etl, int64_t ticks, const char *text)
{
	struct strbuf event = STRBUF_INIT;

	add(&event, 0, 2);
	add(&event, FULL_64, 1);
	add(&event, TYPED, 1);
	add(&event, MARK_OPCODE, 1);
	add(&event, 0, 1);
	add(&event, 0, 2);
	add_zeros(&event, 8);
	add(&event, (uint64_t)ticks, 8);
	strbuf_add(&event, perfinfo_guid, sizeof(perfinfo_guid));
	add_zeros(&event, 8);
	strbuf_add(&event, text, strlen(text) + 1);
	end_event(etl, ticks, &event, 0);
}

void etl_process(struct etl *etl, int64_t ticks, int opcode, uint32_t pid, uint32_t parent,
		 const char *image, const char *command_line)
{
	/* S-1-5-18, behind a TOKEN_USER whose pointer means nothing. */
	static const unsigned char sid[] = { 0x01, 0x01, 0, 0, 0, 0, 0, 0x05, 0x12, 0, 0, 0 };
	struct strbuf event = STRBUF_INIT;

	begin_system(&event, 4, GROUP_PROCESS, opcode, ticks);
	add(&event, UINT64_C(0xffff8000) << 32 | pid, 8);
	add(&event, pid, 4);
	add(&event, parent, 4);
	add(&event, 0, 4); /* session */
	add(&event, opcode == ETL_PROCESS_END ? 0 : 0x103, 4);
	add(&event, 0x1000, 8); /* directory table */
	add(&event, 0, 4);
	add(&event, 1, 8);
	add(&event, 0, 8);
	strbuf_add(&event, sid, sizeof(sid));
	strbuf_add(&event, image, strlen(image) + 1);
	add_utf16(&event, command_line);
	add_utf16(&event, "");
	add_utf16(&event, "");
	end_event(etl, ticks, &event, 4);
}

void etl_interval(struct etl *etl, int64_t ticks, int opcode, uint32_t interval)
{
	struct strbuf event = STRBUF_INIT;

	add(&event, 3, 2);
	add(&event, PERFINFO_64, 1);
	add(&event, TYPED, 1);
	add(&event, 0, 2);
	add(&event, (uint64_t)opcode, 1);
	add(&event, GROUP_PERFINFO, 1);
	add(&event, (uint64_t)ticks, 8);
	add(&event, 0, 4);
	add(&event, interval, 4);
	add(&event, interval, 4);
	add_utf16(&event, "Timer");
	end_event(etl, ticks, &event, 4);
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

int etl_append(struct etl *etl, const void *data, size_t len)
{
	const unsigned char *at = data;
	size_t size;

	if (!etl_check(data, len))
		return -1;
	if (etl->data.len - etl->buffer > BUFFER_HEADER) {
		close_buffer(etl);
		open_buffer(etl, 0);
	}
	for (size_t off = get(at, 4); off + BUFFER_HEADER <= len; off += size) {
		size_t filled = get(at + off + AT_FILLED, 4);

		size = get(at + off, 4);
		if (size != BUFFER_SIZE || size > len - off || filled > size ||
		    filled < BUFFER_HEADER)
			return -1;
		strbuf_add(&etl->data, at + off + BUFFER_HEADER, filled - BUFFER_HEADER);
		etl->last_ticks = (int64_t)get(at + off + AT_TIME, 8);
		close_buffer(etl);
		open_buffer(etl, 0);
	}
	return 0;
}

void etl_end(struct etl *etl)
{
	if (etl->data.len - etl->buffer > BUFFER_HEADER) {
		close_buffer(etl);
	} else {
		strbuf_set_len(&etl->data, etl->buffer);
		etl->buffers--;
	}
	put(etl->data.buf + AT_HEADER_EVENT + SYSTEM_HEADER + AT_BUFFERS_WRITTEN, etl->buffers, 4);
}
