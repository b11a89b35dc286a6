/*
 * Matches copies of memory events with their plain events.
 *
 * When a tracepoint is hit, the kernel writes a sample for each of its events, with the same raw bytes: in a
 * thread's sequence these samples are adjacent. If adjacent hits are equal (a thread repeats the same call), the
 * k-th copy of each event belongs to the k-th plain sample, as a filter selects all of them or none.
 */
#ifndef TRACE_LINUX_PAIRING_H
#define TRACE_LINUX_PAIRING_H

#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_calls.h"
#include "trace/perf/perf_decode.h"

struct linux_pairing;

/* `events` is borrowed. */
struct linux_pairing *linux_pairing_new(const struct linux_call_event *events, size_t nr);
void linux_pairing_free(struct linux_pairing *pairing);

/* See linux_memory_pair(). A plain sample with several copies gets the copy of the first event. */
void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

#endif
