/*
 * A build over time, in steps: the memory that it held and who held most of it, and the processors that it used. Each step
 * has the highest memory within it, so that no peak is missed.
 */
#ifndef ANALYSIS_TIMELINE_H
#define ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/group.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct timeline_point {
	int64_t start_ns;
	int64_t bytes;    /* the most that was held in the step */
	int64_t bytes_ns; /* the first moment of it, or the start of the step */
	uint32_t key;     /* which held most of it then; GROUP_NONE: nothing was held */
	int64_t key_bytes;
	int64_t cpu_ns; /* of the samples in the step */
};

/* What is counted. */
enum timeline_memory { TIMELINE_NO_MEMORY, TIMELINE_COMMITTED, TIMELINE_TOUCHED };

struct timeline;

/*
 * `nr` steps (> 0) of `step_ns` from `from_ns` on, 0 or later. Keys and what is counted are those of the grouping, which is
 * not by stacks. All is borrowed.
 */
struct timeline *timeline_new(struct machine *machine, struct grouping *grouping,
			      enum timeline_memory memory, int64_t from_ns, int64_t step_ns,
			      size_t nr);
void timeline_free(struct timeline *timeline); /* accepts NULL */

/* Count an event after machine_apply(). Call it with all events. False: the last step is over. */
bool timeline_apply(struct timeline *timeline, const struct trace_event *event);

/* After the last event: the points, which live as long as the timeline. */
const struct timeline_point *timeline_finish(struct timeline *timeline);

#endif
