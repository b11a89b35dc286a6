/*
 * ETL files in memory, byte by byte: a header buffer, then buffers of events that have only a time.
 */
#ifndef TESTS_UNIT_ETL_FIXTURE_H
#define TESTS_UNIT_ETL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/etl/etl_file.h"
#include "util/array.h"
#include "util/strbuf.h"

#define ETL_SIZE        1024 /* of a buffer */
#define ETL_EVENT_BYTES 40

struct making {
	struct strbuf bytes;
	size_t begin; /* of the buffer that is being made */
	uint32_t pointer, clock, mode, written, cpu_mhz;
	uint64_t frequency, first_tick, end_time, boot_time;
	uint16_t state; /* of the first buffer */
};

static inline void making_init(struct making *making)
{
	*making = (struct making){ .bytes = STRBUF_INIT,
				   .pointer = 8,
				   .clock = 1,
				   .frequency = 10000000,
				   .first_tick = 1000,
				   .end_time = 1,
				   .boot_time = 100,
				   .state = 3 };
}

static inline void put(struct making *making, size_t at, uint64_t value, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		making->bytes.buf[at + i] = (char)(value >> 8 * i);
}

static inline void add_number(struct making *making, uint64_t value, size_t nr)
{
	size_t at = making->bytes.len;

	strbuf_pad(&making->bytes, 0, at + nr);
	put(making, at, value, nr);
}

static inline void add_text16(struct making *making, const char *text)
{
	do
		add_number(making, (unsigned char)*text, 2);
	while (*text++);
}

static inline void begin_buffer(struct making *making, unsigned cpu, uint64_t sequence,
				uint16_t flags)
{
	making->begin = making->bytes.len;
	strbuf_pad(&making->bytes, 0, making->begin + ETL_BUFFER_HEADER);
	put(making, making->begin + 0x18, sequence, 8);
	put(making, making->begin + 0x28, cpu, 2);
	put(making, making->begin + 0x2c, 3, 4);
	put(making, making->begin + 0x34, flags, 2);
}

/* `size` is that of the buffer; 0: no padding. */
static inline void end_buffer(struct making *making, size_t size)
{
	size_t filled = making->bytes.len - making->begin;

	strbuf_pad(&making->bytes, (char)0xff, making->begin + size);
	put(making, making->begin, making->bytes.len - making->begin, 4);
	put(making, making->begin + 0x30, filled, 4);
}

/* End the buffer, with these bytes instead of its events. */
static inline void end_compressed(struct making *making, const char *compressed, size_t nr)
{
	size_t filled = making->bytes.len - making->begin;

	strbuf_set_len(&making->bytes, making->begin + ETL_BUFFER_HEADER);
	strbuf_add(&making->bytes, compressed, nr);
	put(making, making->begin, making->bytes.len - making->begin, 4);
	put(making, making->begin + 0x30, filled, 4);
}

/* Compress as plain XPRESS, with literals only. */
static inline void compress_plain(struct strbuf *to, const char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (i % 32 == 0)
			strbuf_add(to, "\0\0\0\0", 4);
		strbuf_addc(to, bytes[i]);
	}
}

/* Compress and end the buffer. */
static inline void end_plain(struct making *making)
{
	struct strbuf compressed = STRBUF_INIT;

	compress_plain(&compressed, making->bytes.buf + making->begin + ETL_BUFFER_HEADER,
		       making->bytes.len - making->begin - ETL_BUFFER_HEADER);
	end_compressed(making, compressed.buf, compressed.len);
	strbuf_release(&compressed);
}

/* Add an event of group 100; `number` is its opcode. */
static inline void add_event(struct making *making, uint64_t time, unsigned number)
{
	add_number(making, 0xc0020002, 4);
	add_number(making, ETL_EVENT_BYTES, 2);
	add_number(making, number, 1);
	add_number(making, 100, 1);
	add_number(making, 7, 4);
	add_number(making, 5, 4);
	add_number(making, time, 8);
	add_number(making, 0, 8);
	add_number(making, number, 8);
}

static inline void add_header_event(struct making *making)
{
	size_t begin = making->bytes.len, payload = begin + 32;
	size_t tail = payload + (making->pointer == 4 ? 0xf0 : 0xf8);

	strbuf_pad(&making->bytes, 0, tail + 32);
	put(making, begin, making->pointer == 4 ? 0xc0010002 : 0xc0020002, 4);
	put(making, begin + 16, making->first_tick, 8);
	put(making, payload, ETL_SIZE, 4);
	put(making, payload + 4, 0x0501000a, 4);
	put(making, payload + 8, 22621, 4);
	put(making, payload + 12, 4, 4);
	put(making, payload + 16, making->end_time, 8);
	put(making, payload + 32, making->mode, 4);
	put(making, payload + 36, making->written, 4);
	put(making, payload + 44, making->pointer, 4);
	put(making, payload + 48, 41, 4);
	put(making, payload + 52, making->cpu_mhz, 4);
	put(making, payload + 56 + 2 * making->pointer, (uint64_t)-60, 4);
	put(making, tail, making->boot_time, 8);
	put(making, tail + 8, making->frequency, 8);
	put(making, tail + 16, 200, 8);
	put(making, tail + 24, making->clock, 4);
	put(making, tail + 28, 3, 4);
	add_text16(making, "Session");
	add_text16(making, "C:\\a.etl");
	put(making, begin + 4, making->bytes.len - begin, 2);
	strbuf_pad(&making->bytes, 0, (making->bytes.len + 7) / 8 * 8);
}

static inline void add_first_buffer(struct making *making)
{
	begin_buffer(making, 0, 0, 0x21);
	put(making, making->begin + 0x2c, making->state, 2);
	put(making, making->begin + 0x36, 4, 2);
	add_header_event(making);
	end_buffer(making, ETL_SIZE);
}

static inline struct etl_file *open_making(const struct making *making)
{
	struct etl_file *file = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(etl_file_open_memory(making->bytes.buf, making->bytes.len, &file, &err),
			 0);
	return file;
}

#endif
