/*
 * From records by time to batches of events.
 */
#ifndef TRACE_ETL_BATCH_H
#define TRACE_ETL_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_merge.h"
#include "trace/etl/etl_prelude.h"
#include "trace/etl/etl_window.h"
#include "util/intmap.h"

struct etl_batch {
	struct trace_event *events;
	size_t nr;
	uint64_t *frames; /* that the events point to */
	size_t frames_nr;
};

void etl_batch_init(struct etl_batch *batch);
void etl_batch_release(struct etl_batch *batch);

/* What goes on from batch to batch. */
struct etl_telling {
	const struct etl_prelude *prelude;
	struct etl_merge *merge; /* NULL: no events but changes are wanted */
	struct etl_window *window;
	struct etl_clock_base clock;
	bool cpu, memory;
	const struct etl_record *records; /* in hand: from `at` on */
	size_t records_nr, at;
	uint64_t now;
	bool ended; /* no more records */
	size_t change, rate;
	int64_t before_ns;  /* when that is which was there before */
	struct intmap pids; /* by thread: plus one */
};

/* `prelude` and `merge` are borrowed. */
void etl_telling_init(struct etl_telling *telling, const struct etl_prelude *prelude,
		      struct etl_merge *merge, const struct etl_clock_base *clock, bool cpu,
		      bool memory);
void etl_telling_release(struct etl_telling *telling);

/* The next events: 1, 0 at the end, -1. */
int etl_batch_fill(struct etl_batch *batch, struct etl_telling *telling, struct err *err);

#endif
