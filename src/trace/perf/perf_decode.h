/*
 * Records taken apart.
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
#include "trace/perf/perf_sample.h"

/*
 * A sample of `event` (not its index) from its record, whose address is a multiple of 8. False: its fields
 * reach beyond the record. Guests' parts of a call chain are left out.
 */
bool perf_decode_sample(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample);

/*
 * MMAP, MMAP2, COMM, FORK, EXIT: what happened, to whom; time and CPU are the trailer's. `trailer` bytes at
 * the end are not the record's own. False: it is not whole.
 */
bool perf_decode_event(const unsigned char *record, size_t size, size_t trailer,
		       struct trace_event *event);

#endif
