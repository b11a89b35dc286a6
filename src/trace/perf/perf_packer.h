/*
 * Writes records of perf.data compressed, in COMPRESSED records.
 *
 * A zstd frame begins with a record, and continues in the following ones: perf and hotspot do not read two frames of one
 * record, nor a record that decompresses to nothing. Each record decompresses to at most PERF_PACKED_BYTES. Frames do not
 * depend on each other.
 */
#ifndef TRACE_PERF_PACKER_H
#define TRACE_PERF_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

#define PERF_PACKED_BYTES 60000 /* compressed they fit into a record, even if they do not shrink */
#define PERF_PACKED_LEVEL 3

struct perf_frame {
	uint64_t offset;   /* of its first record, from the first byte written */
	uint64_t unpacked; /* of its first byte, in all decompressed bytes */
};

struct perf_packer;

/* `file` is borrowed, `path` is for messages. NULL: out of memory. */
struct perf_packer *perf_packer_new(FILE *file, const char *path, struct err *err);
void perf_packer_free(struct perf_packer *packer);

/* Add a whole record of `nr` bytes to be compressed. */
int perf_packer_add(struct perf_packer *packer, const void *record, size_t nr, struct err *err);

/* Write bytes as they are, after all that were added. */
int perf_packer_write(struct perf_packer *packer, const void *bytes, size_t nr, struct err *err);

/* Write what is left. The last frame may be unfinished, as perf's own frames are. */
int perf_packer_flush(struct perf_packer *packer, struct err *err);

/* Number of bytes written, and of those that were added for them. */
uint64_t perf_packer_size(const struct perf_packer *packer);
uint64_t perf_packer_unpacked(const struct perf_packer *packer);

/* The frames begun so far, owned by the packer. */
const struct perf_frame *perf_packer_frames(const struct perf_packer *packer, size_t *nr);

#endif
