/*
 * Decompresses the compressed records of a perf.data file: one zstd stream over all of them. With two threads a second one
 * does it ahead of the walk along the records (perf_walk.h).
 */
#ifndef TRACE_PERF_UNPACKER_H
#define TRACE_PERF_UNPACKER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_blocks.h"
#include "trace/trace_input.h"
#include "util/err.h"

struct perf_unpacker;

/* Of the records in `input`, which is borrowed, from the offset `from` to `end`; to blocks of 1 << block_shift bytes. */
struct perf_unpacker *perf_unpacker_new(const struct trace_input *input, uint64_t from,
					uint64_t end, unsigned block_shift, int threads);
void perf_unpacker_free(struct perf_unpacker *unpacker);

/*
 * Append what the record at `location` holds, or the next part of that, to `blocks`, which get nothing else. Ask for the
 * records in the order of the file. Returns 1; 0: that was all; -1: failure. *why is a literal if the rest of it cannot be
 * decompressed, nor what follows, else NULL.
 */
int perf_unpacker_next(struct perf_unpacker *unpacker, uint64_t location,
		       struct perf_blocks *blocks, const char **why, struct err *err);

#endif
