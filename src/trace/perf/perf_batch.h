/*
 * A batch of events, made from the queue's first records, with all that they point into.
 */
#ifndef TRACE_PERF_BATCH_H
#define TRACE_PERF_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_cut.h"
#include "trace/perf/perf_sample.h"
#include "trace/perf/perf_walk.h"

/* Blocks of bytes, for records that are not in one place or not at a multiple of 8. */
struct perf_chunk {
	struct perf_chunk *next;
	size_t nr;
	unsigned char bytes[];
};

struct perf_batch {
	struct trace_event *events;
	size_t nr;
	/* Until the next use of the batch. */
	struct perf_sample *samples;
	size_t *partner;
	size_t samples_nr;
	uint64_t *pins; /* places */
	size_t pins_nr, pins_alloc;
	struct perf_chunk *chunks;
	/* The walk's; NULL: memory is not asked for, or can't be told. */
	struct linux_memory *memory;
	/* The facts when it was made, strings and first_damage borrowed from the file's; counts by event. */
	struct trace_facts facts;
	struct trace_event_count *counts;
	size_t counts_nr, counts_alloc;
	/* What accounting found until its end. */
	uint64_t unmatched;      /* copies with stacks */
	uint64_t headless_calls; /* without their entry */
	uint64_t damaged_calls;  /* that lack fields */
};

/* What goes on from batch to batch. */
struct perf_telling {
	int64_t base_ns; /* TRACE_BASE_FIRST: not known yet */
	uint64_t last;   /* the time told last */
	uint64_t serial;
	struct perf_nearby *nearby; /* PERF_CUT_NEAR */
};

/* Likewise, of perf_batch_account(). */
struct perf_accounting {
	struct intmap alive; /* of a process: its threads */
	uint64_t unmatched;
};

#define PERF_ACCOUNTING_INIT \
	{ \
		INTMAP_INIT, 0 \
	}

void perf_accounting_release(struct perf_accounting *accounting);

void perf_telling_init(struct perf_telling *telling, int64_t base_ns);
void perf_telling_release(struct perf_telling *telling);

void perf_batch_init(struct perf_batch *batch, const struct perf_limits *limits);
void perf_batch_release(struct perf_batch *batch);

/* Give back what its last use has of the walk. */
void perf_batch_clear(struct perf_batch *batch, struct perf_walk *walk);

/*
 * Of `walk`'s ready records (more than 0) as many as may be; there may be no event among them. It is to be accounted
 * before it is used.
 */
int perf_batch_fill(struct perf_batch *batch, struct perf_walk *walk, struct perf_telling *telling,
		    struct err *err);

/*
 * System calls become memory events, or nothing: there may be no event left. Batch by batch in their order, by any
 * thread, while another fills others.
 */
void perf_batch_account(struct perf_batch *batch, struct perf_accounting *accounting);

/* The facts now, but for what accounting finds. */
void perf_batch_facts(struct perf_batch *batch, const struct perf_walk *walk,
		      const struct perf_telling *telling);

#endif
