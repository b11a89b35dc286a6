/*
 * A sequence of records: the bytes of a perf.data file, or what its compressed records hold.
 */
#ifndef TRACE_PERF_STREAM_H
#define TRACE_PERF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_blocks.h"
#include "util/err.h"

#define PERF_RECORD_MAX 65535

struct perf_stream {
	struct perf_blocks blocks;
	uint64_t at; /* the next record */
	/* Of a record that cannot be read: */
	bool begun;              /* its header is complete */
	unsigned char header[8]; /* valid if `begun` */
	_Alignas(8) unsigned char scratch[PERF_RECORD_MAX + 1];
};

/*
 * Get the record at `offset`, in its block or in the stream's buffer, valid until the next call. Returns 1; 0: it is
 * incomplete or damaged; -1: failure.
 */
int perf_stream_record(struct perf_stream *stream, uint64_t offset, const unsigned char **record,
		       size_t *size, struct err *err);

/* How many bytes follow a record that is no record themselves; there may be fewer in the file. */
uint64_t perf_record_payload(const unsigned char *record, size_t size);

/* The compressed bytes of a record, of which there may be none. False: it is no compressed record, or incomplete. */
bool perf_record_compressed(const unsigned char *record, size_t size, const unsigned char **bytes,
			    size_t *nr);

#endif
