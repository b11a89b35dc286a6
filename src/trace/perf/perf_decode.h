/*
 * Decodes the records of perf.data.
 *
 * Format: include/uapi/linux/perf_event.h of Linux, enum perf_event_type.
 */
#ifndef TRACE_PERF_DECODE_H
#define TRACE_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_events.h"

/* One sample, its fields decoded by its event's sample_type. Pointers are into the record. */
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

/* Nothing is known: who, where or when. */
extern const struct perf_sample perf_sample_none;

/*
 * Decode a sample of `event` (all but its index) from its record, whose address is a multiple of 8. False: its fields reach
 * beyond the record. Guests' parts of a call chain are left out.
 */
bool perf_decode_sample(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample);

/*
 * Decode MMAP, MMAP2, COMM, FORK and EXIT. Time and CPU are in the trailer, the last `trailer` bytes, which is not decoded
 * here. False: the record is incomplete.
 */
bool perf_decode_event(const unsigned char *record, size_t size, size_t trailer,
		       struct trace_event *event);

#endif
