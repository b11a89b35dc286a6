/*
 * Makes records of ETL events.
 */
#ifndef TESTS_UNIT_ETL_RECORD_FIXTURE_H
#define TESTS_UNIT_ETL_RECORD_FIXTURE_H

#include <string.h>

#include "trace/etl/etl_record.h"
#include "util/strbuf.h"

static inline void put8(struct strbuf *sb, unsigned value)
{
	strbuf_addc(sb, (char)value);
}

static inline void put16(struct strbuf *sb, unsigned value)
{
	put8(sb, value & 0xff);
	put8(sb, value >> 8 & 0xff);
}

static inline void put32(struct strbuf *sb, uint32_t value)
{
	put16(sb, value & 0xffff);
	put16(sb, value >> 16);
}

static inline void put64(struct strbuf *sb, uint64_t value)
{
	put32(sb, (uint32_t)value);
	put32(sb, (uint32_t)(value >> 32));
}

/* With a zero at its end. */
static inline void put_wide(struct strbuf *sb, const char *ascii)
{
	for (; *ascii; ascii++)
		put16(sb, (unsigned char)*ascii);
	put16(sb, 0);
}

static inline void put_text(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text) + 1);
}

/* `payload` is borrowed. */
static inline struct etl_record record_of(enum etl_provider provider, uint8_t opcode,
					  uint8_t version, const struct strbuf *payload)
{
	return (struct etl_record){
		.provider = (uint8_t)provider,
		.opcode = opcode,
		.version = version,
		.pointer = 8,
		.pid = ETL_NO_ID,
		.tid = ETL_NO_ID,
		.payload = (const unsigned char *)payload->buf,
		.payload_nr = (uint32_t)payload->len,
	};
}

#endif
