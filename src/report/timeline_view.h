/*
 * The table of `timeline`: a row for each step of time.
 */
#ifndef REPORT_TIMELINE_VIEW_H
#define REPORT_TIMELINE_VIEW_H

#include <stdint.h>

#include "analysis/timeline.h"
#include "model/concurrency.h"
#include "report/table.h"

/* What rows have in common; borrowed. */
struct timeline_frame {
	const struct grouping *grouping; /* by crate */
	int64_t step_ns, end_ns;         /* the last step ends there */
	int64_t most_bytes;              /* of all points: the full width of the graph */
	bool memory, cpu, processes;     /* what is known */
};

/* A row: the argument of the getters. */
struct timeline_row {
	const struct timeline_frame *frame;
	const struct timeline_point *point;
	const struct concurrency *work; /* in the step */
};

extern const struct table timeline_table;

#endif
