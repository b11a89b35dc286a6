/*
 * What `perf record -z` packed: one zstd stream over all compressed records.
 */
#ifndef TRACE_PERF_UNPACK_H
#define TRACE_PERF_UNPACK_H

#include <stddef.h>

struct perf_unpack;

struct perf_unpack *perf_unpack_new(void);
void perf_unpack_free(struct perf_unpack *unpack);

/* The next packed bytes; good until they are all taken. */
void perf_unpack_feed(struct perf_unpack *unpack, const unsigned char *bytes, size_t nr);

/*
 * Some of what they are: 1, `*bytes` good until the next call; 0: all was taken; -1: they are no zstd stream,
 * `*why` says it.
 */
int perf_unpack_next(struct perf_unpack *unpack, const unsigned char **bytes, size_t *nr,
		     const char **why);

#endif
