/*
 * Writes records of perf.data compressed, in COMPRESSED records.
 *
 * A zstd frame begins with a record, and continues in the following ones: perf and hotspot do not read two frames of one
 * record, nor a record that decompresses to nothing. Each record decompresses to at most PERF_COMPRESSED_BYTES. Frames do
 * not depend on each other.
 */
#ifndef TRACE_PERF_COMPRESSOR_H
#define TRACE_PERF_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/* Compressed they fit into a record, even if they do not shrink. */
#define PERF_COMPRESSED_BYTES 60000
#define PERF_COMPRESSED_LEVEL 3

struct perf_frame {
	uint64_t offset;       /* of its first record, from the first byte written */
	uint64_t decompressed; /* of its first byte, in all decompressed bytes */
};

struct perf_compressor;

/* `file` is borrowed, `path` is for messages. NULL: out of memory. */
struct perf_compressor *perf_compressor_new(FILE *file, const char *path, struct err *err);
void perf_compressor_free(struct perf_compressor *compressor);

/* Add a whole record of `nr` bytes to be compressed. */
int perf_compressor_add(struct perf_compressor *compressor, const void *record, size_t nr,
			struct err *err);

/* Write bytes as they are, after all that were added. */
int perf_compressor_write(struct perf_compressor *compressor, const void *bytes, size_t nr,
			  struct err *err);

/* Write what is left. The last frame may be unfinished, as perf's own frames are. */
int perf_compressor_flush(struct perf_compressor *compressor, struct err *err);

/* Number of bytes written, and of those that were added for them. */
uint64_t perf_compressor_size(const struct perf_compressor *compressor);
uint64_t perf_compressor_decompressed(const struct perf_compressor *compressor);

/* The frames begun so far, owned by the compressor. */
const struct perf_frame *perf_compressor_frames(const struct perf_compressor *compressor,
						size_t *nr);

#endif
