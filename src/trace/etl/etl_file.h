/*
 * An ETL file: its header event, its buffers and its damage. Events are read buffer by buffer (etl_buffer), or by time
 * (etl_merge.h).
 *
 * Format of buffers: WMI_BUFFER_HEADER, see Geoff Chappell; ETW_BUFFER_HEADER.
 */
#ifndef TRACE_ETL_FILE_H
#define TRACE_ETL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_record.h"
#include "util/err.h"
#include "util/strbuf.h"

enum etl_clock {
	ETL_CLOCK_UNSPECIFIED,
	ETL_CLOCK_QPC,
	ETL_CLOCK_SYSTEM, /* FILETIMEs */
	ETL_CLOCK_CYCLES,
};

/*
 * The session, from the first event of the first buffer. Format: TRACE_LOGFILE_HEADER, see Geoff Chappell and evntrace.h.
 */
struct etl_header {
	uint32_t buffer_size;
	uint8_t os_major, os_minor;
	uint32_t build;
	uint32_t cpus;
	uint32_t pointer_size; /* of the program that started the session; events have their own */
	uint32_t mode;         /* LogFileMode: bits of enum etl_mode and others */
	uint32_t buffers_written;
	uint32_t events_lost, buffers_lost;
	uint32_t cpu_mhz;
	/* FILETIME, UTC; 0: unknown (end_time: the session was never closed). */
	int64_t start_time, end_time, boot_time;
	int32_t timezone_bias; /* minutes; UTC = local + bias */
	uint64_t frequency;    /* ticks per second; never 0 */
	uint64_t first_tick;   /* time stamp of the header event, at start_time */
	enum etl_clock clock;
	char *session_name, *file_name; /* UTF-8; "": none */
};

enum etl_mode {
	ETL_MODE_CIRCULAR = 0x00000002,
	ETL_MODE_NEW_FILE = 0x00000008, /* the session goes on in another file */
	ETL_MODE_COMPRESSED = 0x04000000,
};

#define ETL_BUFFER_HEADER 72
#define ETL_BUFFER_MAX    (16u << 20) /* larger ones are damage */

enum etl_buffer_flag {
	ETL_BUFFER_EVENTS_LOST = 0x02,
	ETL_BUFFER_LOST = 0x04,
	ETL_BUFFER_WIDE_CPU = 0x20, /* the processor's index is 16 bits wide */
	ETL_BUFFER_COMPRESSED = 0x40,
};

/* A buffer of the file. */
struct etl_extent {
	uint64_t offset; /* in the file */
	uint64_t sequence;
	uint32_t cpu;    /* processor index; the buffers of a processor are in order */
	uint32_t size;   /* in the file, with its header */
	uint32_t filled; /* valid bytes with the header, decompressed */
	uint16_t flags;
	bool truncated; /* the file ends within it */
};

struct etl_damage {
	uint64_t buffers;           /* buffers that cannot be read, or not to their end */
	uint64_t buffer_bytes;      /* of events in them, decompressed, that were not read */
	uint64_t events;            /* events that cannot be decoded, elsewhere */
	uint64_t unknown;           /* headers of unknown kind */
	uint64_t buffers_with_loss; /* flags 2 and 4 of a buffer */
	bool truncated;             /* the file ends within a buffer, or before buffers_written */
	uint64_t missing;           /* bytes of a truncated file; 0: unknown */
	/* Buffers that are not in a truncated file, or not to their end; 0: unknown. */
	uint64_t missing_buffers;
	uint64_t unread;     /* bytes after damage that hides where the next buffer begins */
	struct strbuf first; /* message of the first damage, with its offset; empty: none */
	struct strbuf stop;  /* the message of the damage after which `unread` begins */
};

struct etl_file;

/*
 * Read the header event and find all buffers. ERR_CORRUPT: it is not an ETL file, or its first buffer is damaged;
 * ERR_UNSUPPORTED: its compressed buffers are too large. Later damage is counted.
 */
int etl_file_open(const char *path, uint64_t compressed_bytes, struct etl_file **file,
		  struct err *err);
/* The same for bytes in memory, borrowed. */
int etl_file_open_memory(const void *memory, size_t nr, struct etl_file **file, struct err *err);
void etl_file_free(struct etl_file *file);

/* Call it otherwise in messages. */
void etl_file_set_name(struct etl_file *file, const char *name);

/* The path that was opened, or the name that was set; "-" for bytes in memory. */
const char *etl_file_path(const struct etl_file *file);
const struct etl_header *etl_file_header(const struct etl_file *file);
const struct etl_damage *etl_file_damage(const struct etl_file *file);

/* The tick of the session's end; UINT64_MAX: unknown, as it was never closed. */
uint64_t etl_file_end_tick(const struct etl_file *file);

/* All `*nr` buffers, sorted by processor; those of a processor are in order. Borrowed. */
const struct etl_extent *etl_file_extents(const struct etl_file *file, size_t *nr);
uint64_t etl_file_size(const struct etl_file *file);

/*
 * Nanoseconds from the header event's tick to `ticks`, rounded towards zero, and limited to INT64_MAX and its negative.
 */
int64_t etl_file_ns(const struct etl_file *file, uint64_t ticks);

/* The bytes of a buffer, decompressed, and the position of the next event in it. */
struct etl_buffer {
	unsigned char *bytes; /* without the buffer's header */
	size_t nr, alloc;
	struct etl_extent extent;
	size_t at;
	const char *fault; /* why it cannot be read; NULL: it can */
	uint64_t latest;   /* later times are damage */
	uint16_t session;
};

void etl_buffer_init(struct etl_buffer *buffer, uint16_t session);
void etl_buffer_release(struct etl_buffer *buffer);

/* Allocate the memory that etl_buffer_load() needs. Another thread may then load. */
void etl_buffer_make_room(struct etl_buffer *buffer, const struct etl_extent *extent);

/*
 * Load a buffer. -1: the file cannot be read. A damaged buffer has no events, and a fault. Thread-safe if threads use
 * different buffers.
 */
int etl_buffer_load(struct etl_buffer *buffer, const struct etl_file *file,
		    const struct etl_extent *extent, struct err *err);

/*
 * Whether the next event is a short one without damage, which `event` then is. It stays the next one until
 * etl_buffer_pass_short() or etl_buffer_take_short(); if it is not a short one, etl_buffer_next() gets it.
 */
static inline bool etl_buffer_peek_short(const struct etl_buffer *buffer, struct etl_short *event)
{
	return !buffer->fault &&
	       etl_short_parse(buffer->bytes + buffer->at, buffer->nr - buffer->at, event) &&
	       event->time <= buffer->latest;
}

static inline void etl_buffer_pass_short(struct etl_buffer *buffer, const struct etl_short *event)
{
	buffer->at += etl_step_of(event->size, buffer->nr - buffer->at);
}

/* The record of the short event that is the next one. */
static inline void etl_buffer_take_short(struct etl_buffer *buffer, const struct etl_short *event,
					 struct etl_record *record)
{
	etl_short_record(event, record);
	record->buffer_offset = buffer->extent.offset;
	record->offset = (uint32_t)buffer->at + ETL_BUFFER_HEADER;
	record->cpu = buffer->extent.cpu;
	record->session = buffer->session;
	etl_buffer_pass_short(buffer, event);
}

/* The next event; false: no more. Damage (of the buffer too) and unknown headers are counted in the file. */
bool etl_buffer_next(struct etl_buffer *buffer, struct etl_file *file, struct etl_record *record);

#endif
