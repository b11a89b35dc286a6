/*
 * Decompresses the compressed records of a perf.data (`perf record -z`), which are one zstd stream, with a thread that runs
 * ahead of its user.
 */
#ifndef TRACE_PERF_DECOMPRESSOR_H
#define TRACE_PERF_DECOMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>

struct perf_decompressor;

/* With `threads` 1 or less, perf_decompressor_next() decompresses. The bytes are the same. */
struct perf_decompressor *perf_decompressor_new(int threads);
void perf_decompressor_free(struct perf_decompressor *decompressor);

/* Whether another record can be added now. There is room for at least one if each has been read to its end. */
bool perf_decompressor_has_room(struct perf_decompressor *decompressor);

/* Add the compressed bytes of the next record, at most 64 KB, which are copied. */
void perf_decompressor_add(struct perf_decompressor *decompressor, const void *bytes, size_t nr);

/*
 * More decompressed bytes, maybe none, of the oldest record that has not been read to its end; there must be one. They are
 * valid until the next call. Returns 1; 0: this record has no more, the next call is for the next record; -1: it is no zstd
 * stream, `*why` is the library's reason, and nothing may follow.
 */
int perf_decompressor_next(struct perf_decompressor *decompressor, const unsigned char **bytes,
			   size_t *nr, const char **why);

#endif
