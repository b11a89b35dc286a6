/*
 * What the heads of all views have in common.
 */
#ifndef REPORT_VIEW_HEAD_H
#define REPORT_VIEW_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "report/account.h"
#include "report/head.h"

/* What the tracker of a run could not see. */
struct tracker_losses {
	uint64_t events;
	uint64_t processes; /* at most */
	uint64_t command_lines;
};

struct view_head {
	const struct trace_facts *facts;      /* NULL: no trace was read */
	const struct results *results;        /* NULL: only range and losses */
	const char *clock;                    /* where `facts` is NULL; NULL: unknown */
	const char *recorded_by;              /* the program's version; NULL: unknown */
	const struct tracker_losses *tracker; /* NULL: unknown */
	int64_t from_ns, to_ns;               /* the range of time; to_ns INT64_MAX: to the end */
	int64_t last_ns;                      /* the last event of the recording; -1: unknown */
	bool filtered;                        /* some processes were left out */
	bool below_zero;                      /* text has no number where an estimate is too high */
	uint64_t stacks_truncated;            /* shown if results->stacks has no samples */
};

/* Add versions, range, and what was counted; then a view adds lines of its own; at last what was lost. */
void view_head_begin(const struct view_head *view, struct head *head);
void view_head_end(const struct view_head *view, struct head *head);

#endif
