/*
 * Writes an ETL file: a header event, then events in buffers, one open buffer for each processor, as a session of
 * Windows 10 writes them. 64-bit.
 *
 * Time stamps are ticks of a clock of type 1 (QPC). Texts are UTF-8. What the events are: convert/etl_events.h.
 *
 * Format: WMI_BUFFER_HEADER, trace headers and TRACE_LOGFILE_HEADER, see Geoff Chappell, "Event Tracing for Windows",
 * and evntrace.h.
 */
#ifndef CONVERT_ETL_WRITER_H
#define CONVERT_ETL_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Where the file goes. What can't be written is the sink's own to know. */
struct etl_sink {
	void *data;
	void (*write)(void *data, const void *bytes, size_t nr);
	/* The first bytes of the file are to be others: the header, at the end. */
	void (*rewrite)(void *data, const void *bytes, size_t nr);
};

/* Into memory, which `bytes` has then. */
struct etl_sink etl_sink_memory(struct strbuf *bytes);

enum etl_packing {
	ETL_PACKED_NOT,
	ETL_PACKED_XPRESS = 3, /* as in the file */
	ETL_PACKED_HUFFMAN = 4,
};

struct etl_writer_options {
	uint32_t buffer_size; /* bytes, a multiple of 8; 0: 64 KB */
	uint32_t cpus;
	uint32_t build;      /* of Windows */
	uint32_t mode;       /* LogFileMode, but for packing */
	uint64_t frequency;  /* ticks a second */
	uint64_t first_tick; /* of the header event */
	int64_t start_time;  /* FILETIME of that tick */
	enum etl_packing packing;
	uint32_t masks[8];   /* which kernel events the session asked for; all 0: not told */
	const char *session; /* "Relogger" where it was merged */
	const char *file;    /* "[multiple files]" where it was merged of several */
};

struct etl_writer;

struct etl_writer *etl_writer_new(const struct etl_writer_options *options,
				  const struct etl_sink *sink);
void etl_writer_free(struct etl_writer *writer);

/* What the session lost; told in the header event. */
void etl_writer_lost(struct etl_writer *writer, uint32_t events, uint32_t buffers);

/* When and where what is written next happens. Ticks of one processor do not go back. */
void etl_writer_at(struct etl_writer *writer, uint64_t tick, uint32_t cpu);

/* The processor's buffer goes to the file as it is. */
void etl_writer_flush(struct etl_writer *writer, uint32_t cpu);

/* All that is open goes to the file, and the header says so. No event after it. */
void etl_writer_finish(struct etl_writer *writer);

/*
 * One event: begin it by one of its kinds of headers, add its payload, end it. The longest payload is
 * etl_writer_room() after the header.
 */
void etl_writer_system(struct etl_writer *writer, unsigned group, unsigned opcode, unsigned version,
		       uint32_t pid, uint32_t tid);
void etl_writer_perfinfo(struct etl_writer *writer, unsigned group, unsigned opcode,
			 unsigned version);
void etl_writer_classic(struct etl_writer *writer, const unsigned char *guid, unsigned opcode,
			unsigned version);
void etl_writer_add(struct etl_writer *writer, uint64_t value, unsigned bytes);
void etl_writer_add_bytes(struct etl_writer *writer, const void *bytes, size_t nr);
void etl_writer_add_text(struct etl_writer *writer, const char *text); /* 8-bit, with its NUL */
/* UTF-16 with its NUL, cut where it would be longer than `most` bytes; true: it was cut. */
bool etl_writer_add_wide(struct etl_writer *writer, const char *text, size_t most);
void etl_writer_end(struct etl_writer *writer);

/* An event as it stands in another file; its time is etl_writer_at()'s to know. */
void etl_writer_copy(struct etl_writer *writer, const void *event, size_t nr);

/* What may be added to the event that was begun. */
size_t etl_writer_room(const struct etl_writer *writer);

#endif
