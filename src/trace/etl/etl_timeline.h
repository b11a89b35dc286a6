/*
 * Processes, threads and images of a trace, and which is there from when to when: what is told of only at its end was
 * there before, so that this is known once all was read. Then it is told as changes by time.
 *
 * A PDB is told apart from the image that it belongs to, by process, address and time.
 */
#ifndef TRACE_ETL_TIMELINE_H
#define TRACE_ETL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_paths.h"
#include "trace/etl/etl_record.h"
#include "trace/etl/etl_system.h"

struct etl_timeline;

struct etl_timeline *etl_timeline_new(void);
void etl_timeline_free(struct etl_timeline *timeline);

/*
 * Take in a record of ETL_PROCESS, ETL_THREAD, ETL_IMAGE or ETL_IMAGE_ID, in any order; what is of no use is left out.
 * False: the payload is not what it must be, or there are too many.
 */
bool etl_timeline_add(struct etl_timeline *timeline, const struct etl_record *record);

/* All are in. */
void etl_timeline_make(struct etl_timeline *timeline, const struct etl_paths *paths);

struct etl_change {
	uint64_t time; /* ticks; 0: before the trace */
	uint32_t what; /* the timeline's */
	uint32_t index;
};

/* By time; borrowed. */
const struct etl_change *etl_timeline_changes(const struct etl_timeline *timeline, size_t *nr);

/* Whether it comes behind what else happens at its time: something ends. */
bool etl_change_is_end(const struct etl_change *change);

/* The event but for its time; texts are the timeline's. */
void etl_timeline_tell(const struct etl_timeline *timeline, const struct etl_change *change,
		       struct trace_event *event);

#endif
