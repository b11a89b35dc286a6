/*
 * Writes an ETL file as a session of 64-bit Windows 10 does: a header event, then events in buffers. Each processor has
 * one open buffer.
 *
 * Time stamps are ticks of clock type 1 (QPC). Strings passed in are UTF-8. The events are in convert/etl_events.h.
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

/* Receives the bytes of the file. The sink itself remembers failed writes. */
struct etl_sink {
	void *data;
	void (*write)(void *data, const void *bytes, size_t nr);
	/* Replace the first bytes of the file: the header, once the file is complete. */
	void (*rewrite)(void *data, const void *bytes, size_t nr);
};

/* A sink that appends to `bytes`. */
struct etl_sink etl_sink_memory(struct strbuf *bytes);

enum etl_compression {
	ETL_COMPRESSED_NONE,
	ETL_COMPRESSED_XPRESS = 3, /* the values in the file */
	ETL_COMPRESSED_HUFFMAN = 4,
};

struct etl_writer_options {
	uint32_t buffer_size; /* bytes, a multiple of 8; 0: 64 KB */
	uint32_t cpus;
	uint32_t build;      /* of Windows */
	uint32_t mode;       /* LogFileMode, without the flag for compression */
	uint64_t frequency;  /* ticks per second */
	uint64_t first_tick; /* of the header event */
	int64_t start_time;  /* FILETIME of that tick */
	enum etl_compression compression;
	uint32_t masks[8];   /* kernel flags of the session; all 0: unknown */
	const char *session; /* session name; "Relogger" for a merged trace */
	const char *file;    /* source file; "[multiple files]" if several were merged */
};

struct etl_writer;

struct etl_writer *etl_writer_new(const struct etl_writer_options *options,
				  const struct etl_sink *sink);
void etl_writer_free(struct etl_writer *writer);

/* Set the numbers of lost events and buffers for the header event. */
void etl_writer_lost(struct etl_writer *writer, uint32_t events, uint32_t buffers);

/* Set the time stamp and processor of the next events. Ticks of one processor must not decrease. */
void etl_writer_at(struct etl_writer *writer, uint64_t tick, uint32_t cpu);

/* Write the processor's buffer to the file, full or not. */
void etl_writer_flush(struct etl_writer *writer, uint32_t cpu);

/* Flush all buffers and complete the header. No event may follow. */
void etl_writer_finish(struct etl_writer *writer);

/*
 * Write one event: begin it with one of three headers (system, perfinfo, classic), add the payload, end it. The payload
 * is at most etl_writer_room() bytes.
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
/* UTF-16 with its NUL, at most `most` bytes; true: the text was truncated. */
bool etl_writer_add_wide(struct etl_writer *writer, const char *text, size_t most);
void etl_writer_end(struct etl_writer *writer);

/* Copy an event of another file. Its time stamp is not changed: call etl_writer_at() with it before. */
void etl_writer_copy(struct etl_writer *writer, const void *event, size_t nr);

/* Number of bytes that can still be added to the current event. */
size_t etl_writer_room(const struct etl_writer *writer);

#endif
