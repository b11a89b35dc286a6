/*
 * One sample of a perf.data file, its fields taken apart by its event's sample_type; in the reader's byte
 * order. Pointers are into the record.
 *
 * Format: include/uapi/linux/perf_event.h of Linux, PERF_RECORD_SAMPLE.
 */
#ifndef TRACE_PERF_SAMPLE_H
#define TRACE_PERF_SAMPLE_H

#include <stdint.h>

#include "model/trace_event.h"

struct perf_sample {
	uint32_t event; /* index of its event in the file's list */
	int32_t pid, tid;
	int32_t cpu;  /* -1 */
	int64_t time; /* on the trace's clock */
	uint64_t ip, period;
	/* Of the call chain; `copy` where there are registers and bytes. */
	struct trace_stack stack;
	struct trace_stack_copy copy;
	const unsigned char *raw; /* tracepoint fields */
	uint32_t raw_nr;
};

/* To begin with, as trace_event_none: who, where and when is not known. */
extern const struct perf_sample perf_sample_none;

#endif
