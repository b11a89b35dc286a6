/*
 * An ETL file: its header event, and where its buffers are. Events are read buffer by buffer (etl_buffer), or
 * by time (etl_merge.h).
 *
 * Format: WMI_BUFFER_HEADER and TRACE_LOGFILE_HEADER, see Geoff Chappell and evntrace.h.
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

struct etl_header {
	uint32_t buffer_size;
	uint8_t os_major, os_minor;
	uint32_t build;
	uint32_t cpus;
	uint32_t pointer_size; /* of who made the session; an event has its own */
	uint32_t mode;         /* LogFileMode */
	uint32_t buffers_written;
	uint32_t events_lost, buffers_lost;
	uint32_t cpu_mhz;
	int64_t start_time, end_time,
		boot_time;     /* FILETIME, UTC; 0: not told (an end: it was never closed) */
	int32_t timezone_bias; /* minutes; UTC = local + bias */
	uint64_t frequency;    /* ticks a second, by the clock */
	uint64_t first_tick;   /* of the header event: that of start_time */
	enum etl_clock clock;
	char *session_name, *file_name; /* UTF-8; "" where there is none */
};

/* A buffer of the file. */
struct etl_extent {
	uint64_t place; /* bytes from the file's start */
	uint64_t sequence;
	uint32_t cpu;    /* the processor's index: buffers of one are in order */
	uint32_t size;   /* in the file, with its header */
	uint32_t filled; /* valid bytes with the header, unpacked */
	uint16_t flags;
};

struct etl_damage {
	uint64_t buffers, events;   /* that could not be read; of events those known to be there */
	uint64_t unknown;           /* headers of no known kind */
	uint64_t buffers_with_loss; /* flags 2 and 4 of a buffer */
	bool cut;                   /* the file ends within a buffer, or before buffers_written */
	uint64_t missing;           /* bytes; 0: not known */
	struct strbuf first;        /* in words, with its place */
};

struct etl_file;

/*
 * Read the header event and find all buffers. ERR_CORRUPT where it is no ETL file or its first buffer can't be
 * read; damage behind that is graded.
 */
int etl_file_open(const char *path, struct etl_file **file, struct err *err);
/* The same of bytes in memory, borrowed. */
int etl_file_open_memory(const void *memory, size_t nr, struct etl_file **file, struct err *err);
void etl_file_free(struct etl_file *file);

const struct etl_header *etl_file_header(const struct etl_file *file);
const struct etl_damage *etl_file_damage(const struct etl_file *file);

/* The buffers by processor, in each by sequence; `*nr` of them. Borrowed. */
const struct etl_extent *etl_file_extents(const struct etl_file *file, size_t *nr);
uint64_t etl_file_size(const struct etl_file *file);

/* Nanoseconds from the header event's tick to `ticks`, exact for any distance. */
int64_t etl_file_ns(const struct etl_file *file, uint64_t ticks);

/* One buffer's bytes, unpacked, and a walk over its events. */
struct etl_buffer {
	unsigned char *bytes; /* without the buffer's header */
	size_t nr, alloc;
	unsigned char *packed; /* as in the file */
	size_t packed_alloc;
	struct etl_extent extent;
	size_t at;
	uint16_t session;
};

void etl_buffer_init(struct etl_buffer *buffer, uint16_t session);
void etl_buffer_release(struct etl_buffer *buffer);

/* 1: loaded; 0: it is damaged, which is counted; -1: the file can't be read. Thread-safe but for the counting. */
int etl_buffer_load(struct etl_buffer *buffer, struct etl_file *file,
		    const struct etl_extent *extent, struct err *err);

/* The next event; false: no more. Damage and unknown headers are counted in the file. */
bool etl_buffer_next(struct etl_buffer *buffer, struct etl_file *file, struct etl_record *record);

#endif
