/*
 * Decodes an event's payload, field by field, without reading beyond it.
 */
#ifndef TRACE_ETL_PAYLOAD_H
#define TRACE_ETL_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_record.h"
#include "util/little_endian.h"
#include "util/strbuf.h"

struct etl_payload {
	const unsigned char *v; /* the bytes not decoded yet */
	size_t nr;
	uint8_t pointer; /* size of a pointer */
	bool cut;        /* a field was missing: it was read as zero or empty */
};

/* Borrowed from the payload, without the zero at its end. */
struct etl_text {
	const unsigned char *v;
	size_t nr; /* bytes */
	bool wide; /* UTF-16, else 8-bit */
};

static inline struct etl_payload etl_payload_of(const struct etl_record *record)
{
	return (struct etl_payload){ record->payload, record->payload_nr, record->pointer, false };
}

static inline const unsigned char *etl_take(struct etl_payload *payload, size_t nr)
{
	const unsigned char *v = payload->v;

	if (nr > payload->nr) {
		payload->cut = true;
		payload->nr = 0;
		return NULL;
	}
	payload->v += nr;
	payload->nr -= nr;
	return v;
}

static inline uint8_t etl_take8(struct etl_payload *payload)
{
	const unsigned char *v = etl_take(payload, 1);

	return v ? v[0] : 0;
}

static inline uint16_t etl_take16(struct etl_payload *payload)
{
	const unsigned char *v = etl_take(payload, 2);

	return v ? le_get16(v) : 0;
}

static inline uint32_t etl_take32(struct etl_payload *payload)
{
	const unsigned char *v = etl_take(payload, 4);

	return v ? le_get32(v) : 0;
}

static inline uint64_t etl_take64(struct etl_payload *payload)
{
	const unsigned char *v = etl_take(payload, 8);

	return v ? le_get64(v) : 0;
}

static inline uint64_t etl_take_pointer(struct etl_payload *payload)
{
	return payload->pointer == 4 ? etl_take32(payload) : etl_take64(payload);
}

/* Text up to its NUL. If that is missing: all remaining bytes, and `cut` is set. */
struct etl_text etl_take_text(struct etl_payload *payload);
struct etl_text etl_take_wide(struct etl_payload *payload);

/* Text in a field of `nr` bytes, up to its NUL if there is one. */
struct etl_text etl_take_wide_field(struct etl_payload *payload, size_t nr);

/* Append the text as valid UTF-8; 8-bit text is assumed to be UTF-8. */
void etl_text_add(const struct etl_text *text, struct strbuf *sb);

#endif
