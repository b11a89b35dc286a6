/*
 * A batch of events, decoded from the first records of the queue, with the memory that they point into.
 */
#ifndef TRACE_PERF_BATCH_H
#define TRACE_PERF_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_walk.h"
#include "trace/trace_format.h"
#include "util/intmap.h"

/* Memory for copies of records that span two blocks or are not aligned to 8 bytes. */
struct perf_chunk {
	struct perf_chunk *next;
	size_t nr;
	unsigned char bytes[];
};

struct perf_batch {
	struct trace_event *events;
	size_t nr;
	/* Valid until the batch is filled again. */
	struct perf_sample *samples;
	size_t *partner;
	size_t samples_nr;
	uint64_t *pins; /* locations of pinned blocks */
	size_t pins_nr, pins_alloc;
	struct perf_chunk *chunks;
	/* Owned by the walk; NULL: memory is not requested, or cannot be accounted. */
	struct linux_memory *memory;
	/* Values for the facts, set when the batch is delivered; strings are borrowed from the file. */
	struct trace_counters counters;
	struct trace_event_count *counts; /* by event */
	size_t counts_nr, counts_alloc;
	const char *first_damage, *stop; /* NULL */
};

/* State that is kept from batch to batch. */
struct perf_progress {
	int64_t base_ns; /* TRACE_BASE_FIRST: unknown yet */
	uint64_t last;   /* the last time delivered */
	uint64_t serial;
	struct perf_nearby *nearby; /* buffer of find_end() */
};

/* State of perf_batch_account() that is kept from batch to batch. */
struct perf_accounting {
	struct intmap alive; /* number of living threads by process */
	uint64_t unmatched;  /* stack copies without a plain event */
};

void perf_accounting_release(struct perf_accounting *accounting);

void perf_progress_init(struct perf_progress *progress, int64_t base_ns);
void perf_progress_release(struct perf_progress *progress);

void perf_batch_init(struct perf_batch *batch, const struct perf_limits *limits);
void perf_batch_release(struct perf_batch *batch);

/* Empty the batch and unpin its blocks. */
void perf_batch_clear(struct perf_batch *batch, struct perf_walk *walk);

/*
 * Fill the batch with as many ready records of `walk` (at least one) as possible. They may yield no event. Call
 * perf_batch_account() before the batch is used.
 */
int perf_batch_fill(struct perf_batch *batch, struct perf_walk *walk,
		    struct perf_progress *progress, struct err *err);

/*
 * Replace system calls by memory events, or drop them; no event may be left. Call it for each batch, in order. Another
 * thread may fill other batches meanwhile.
 */
void perf_batch_account(struct perf_batch *batch, struct perf_accounting *accounting);

/* Set the counters, except those of the accounting. */
void perf_batch_count(struct perf_batch *batch, const struct perf_walk *walk,
		      const struct perf_progress *progress);

#endif
