/*
 * Decodes an event of an ETL file: its header, with provider, opcode, time, processor and thread; and its payload, field
 * by field, without reading beyond it.
 *
 * Format: trace headers of a WMI buffer, see Geoff Chappell, "Event Tracing for Windows", and evntrace.h,
 * evntcons.h. The GUIDs are those of the kernel logger's event classes (MOF) and of KernelTraceControl.
 */
#ifndef TRACE_ETL_RECORD_H
#define TRACE_ETL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/little_endian.h"
#include "util/strbuf.h"

#define ETL_NO_ID UINT32_MAX

/* Kernel events have a group number or a GUID: both are mapped to the same provider. */
enum etl_provider {
	ETL_OTHER,
	ETL_EVENT_TRACE,
	ETL_PAGE_FAULT, /* VirtualAlloc and VirtualFree too */
	ETL_PROCESS,
	ETL_FILE_IO,
	ETL_THREAD,
	ETL_SYSTEM_CONFIG,
	ETL_PERF_INFO,
	ETL_HEAP,
	ETL_IMAGE,
	ETL_STACK_WALK,
	ETL_IMAGE_ID,      /* b3e675d7: added when a trace is merged */
	ETL_SYS_CONFIG_EX, /* 9b79ee91: the same */
	ETL_HEAP_SNAPSHOT, /* 901d2afa */
	ETL_KERNEL_MEMORY, /* d1d93ef7: Microsoft-Windows-Kernel-Memory */
};

enum etl_header_kind {
	ETL_SYSTEM,
	ETL_COMPACT,
	ETL_FULL,
	ETL_INSTANCE,
	ETL_PERFINFO,
	ETL_EVENT,
	ETL_MESSAGE,
};

struct etl_record {
	uint64_t time;          /* ticks of its session's clock; 0 for a message without one */
	uint64_t buffer_offset; /* of its buffer in the file */
	uint32_t offset;        /* of the event in the uncompressed buffer */
	uint32_t cpu;
	uint32_t pid, tid; /* ETL_NO_ID: not in the header */
	uint8_t provider;  /* enum etl_provider */
	uint8_t kind;      /* enum etl_header_kind */
	uint8_t group, opcode, version, level;
	uint8_t pointer;       /* bytes of a pointer in its payload: 4 or 8 */
	uint8_t stack_pointer; /* bytes of an address in its stack; may differ from `pointer` */
	uint16_t id;           /* of manifest events and messages; else 0 */
	uint16_t session;      /* number of its file among those of the recording */
	uint32_t payload_nr;
	uint32_t stack_nr; /* addresses */
	/* 16 bytes; NULL: it has a group, or is a message without a GUID. */
	const unsigned char *guid;
	const unsigned char *payload;
	const unsigned char *stack; /* addresses that an extended item carries, leaf first; NULL */
	uint64_t stack_match;       /* the item's match id; 0 */
};

enum etl_parse {
	ETL_PARSED,
	ETL_END,           /* no more events in these bytes */
	ETL_REST_DAMAGED,  /* the header is damaged: the rest of the buffer is lost */
	ETL_EVENT_DAMAGED, /* the event is damaged, but *step is valid */
	ETL_UNKNOWN,       /* a header of an unknown kind: *step is valid */
};

/*
 * Decode the event at the start of `bytes`; `*step` is the distance to the next one. The caller sets buffer_offset, offset,
 * cpu and session.
 */
enum etl_parse etl_record_parse(const unsigned char *bytes, size_t nr, struct etl_record *record,
				size_t *step);

/*
 * A kernel event with the header ETL_PERFINFO and nothing between it and the payload: most events of a recording. It is
 * found without decoding it into a record.
 */
struct etl_short {
	const unsigned char *bytes;
	uint64_t time;
	uint32_t size; /* with the header */
};

#define ETL_SHORT_HEADER 16

/* The bits of the first four bytes that are the same in all of them: kind, type without its last bit, no counters. */
#define ETL_SHORT_MASK UINT32_C(0xc0fe8700)
#define ETL_SHORT_MARK UINT32_C(0xc0100000)

/* False: the `nr` bytes do not begin with such an event, or it is damaged. */
static inline bool etl_short_parse(const unsigned char *bytes, size_t nr, struct etl_short *event)
{
	if (nr < ETL_SHORT_HEADER || (le_get32(bytes) & ETL_SHORT_MASK) != ETL_SHORT_MARK)
		return false;
	event->bytes = bytes;
	event->size = le_get16(bytes + 4);
	event->time = le_get64(bytes + 8);
	return event->size >= ETL_SHORT_HEADER && event->size <= nr;
}

static inline uint8_t etl_short_opcode(const struct etl_short *event)
{
	return event->bytes[6];
}

static inline uint8_t etl_short_group(const struct etl_short *event)
{
	return event->bytes[7];
}

/* Of pointers in its payload. */
static inline uint8_t etl_short_pointer(const struct etl_short *event)
{
	return event->bytes[2] & 1 ? 8 : 4;
}

#define ETL_GROUPS 25

extern const uint8_t etl_provider_groups[ETL_GROUPS];

/* The provider of a group of kernel events; ETL_OTHER: it has none. */
static inline enum etl_provider etl_provider_of_group(uint8_t group)
{
	return group < ETL_GROUPS ? (enum etl_provider)etl_provider_groups[group] : ETL_OTHER;
}

/* Its record, without what etl_record_parse() leaves to the caller. */
static inline void etl_short_record(const struct etl_short *event, struct etl_record *record)
{
	record->time = event->time;
	record->stack_match = 0;
	record->pid = record->tid = ETL_NO_ID;
	record->kind = ETL_PERFINFO;
	record->group = etl_short_group(event);
	record->provider = (uint8_t)etl_provider_of_group(record->group);
	record->opcode = etl_short_opcode(event);
	record->version = event->bytes[0];
	record->level = record->stack_pointer = 0;
	record->pointer = etl_short_pointer(event);
	record->id = 0;
	record->payload = event->bytes + ETL_SHORT_HEADER;
	record->payload_nr = event->size - ETL_SHORT_HEADER;
	record->stack_nr = 0;
	record->guid = record->stack = NULL;
}

/* The distance to the next event. Events are aligned to 8 bytes, but the last one need not be padded. */
static inline size_t etl_step_of(size_t size, size_t nr)
{
	size_t step = (size + 7) & ~(size_t)7;

	return step < nr ? step : nr;
}

/* A pointer of `size` bytes, 4 or 8. */
static inline uint64_t etl_get_pointer(const unsigned char *s, unsigned size)
{
	return size == 4 ? le_get32(s) : le_get64(s);
}

/* "Process", "PerfInfo", ... as in Windows' tools; NULL for ETL_OTHER. */
const char *etl_provider_name(enum etl_provider provider);

struct etl_payload {
	const unsigned char *v; /* the bytes not decoded yet */
	size_t nr;
	uint8_t pointer; /* size of a pointer */
	bool truncated;  /* a field was missing: it was read as zero or empty */
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
		payload->truncated = true;
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

/* Text up to its NUL. If that is missing: all remaining bytes, and `truncated` is set. */
struct etl_text etl_take_text(struct etl_payload *payload);
struct etl_text etl_take_wide(struct etl_payload *payload);

/* Text in a field of `nr` bytes, up to its NUL if there is one. */
struct etl_text etl_take_wide_field(struct etl_payload *payload, size_t nr);

/* Append the text as valid UTF-8; 8-bit text is assumed to be UTF-8. */
void etl_text_add(const struct etl_text *text, struct strbuf *sb);

#endif
