/*
 * Joining the copies of memory events to their plain events.
 *
 * The kernel hands one hit of a tracepoint to all events of it, one after the other, with the same raw bytes:
 * in a thread's sequence the samples of a hit are neighbours. Of neighbours that are all alike (a thread that
 * does the same call again and again) the k-th copy of each event belongs to the k-th plain one, as a filter
 * takes all of them or none.
 */
#ifndef TRACE_LINUX_PAIRING_H
#define TRACE_LINUX_PAIRING_H

#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_calls.h"
#include "trace/perf/perf_sample.h"

struct linux_pairing;

/* `events` is borrowed. */
struct linux_pairing *linux_pairing_new(const struct linux_call_event *events, size_t nr);
void linux_pairing_free(struct linux_pairing *pairing);

/* As linux_memory_pair(). Where a plain sample has several copies it gets that of the first event. */
void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

#endif
