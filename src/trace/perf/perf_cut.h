/*
 * Where a batch may end: not between an event and its copy, which the accounting joins (linux_memory.h).
 */
#ifndef TRACE_PERF_CUT_H
#define TRACE_PERF_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_walk.h"

/* Looked at on both sides of the cut. */
#define PERF_CUT_NEAR 512

struct perf_nearby {
	size_t at; /* in the queue, from its head */
	int32_t tid;
	uint64_t config, hash; /* of the tracepoint, of its raw data */
	uint32_t event;
};

/* At most `nr` of the queue's first records, more than 0. `nearby` is room for PERF_CUT_NEAR. */
size_t perf_cut(struct perf_walk *walk, size_t nr, struct perf_nearby *nearby);

#endif
