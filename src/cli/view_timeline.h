/*
 * What the command `timeline` prints of a trace that was played: the steps of the build, the series of crates, phases
 * and so on, or a picture.
 */
#ifndef CLI_VIEW_TIMELINE_H
#define CLI_VIEW_TIMELINE_H

#include <stdbool.h>

#include "analysis/process_filter.h"
#include "analysis/timeline.h"
#include "cli/view_options.h"
#include "cli/view_run.h"
#include "replay/replay.h"
#include "report/table.h"
#include "util/err.h"

struct timeline_view {
	const struct view_values *values;
	struct process_filter filter;
	struct view_run run;
	struct replay replay;
	enum timeline_memory memory; /* of --of */
	int by;                      /* of --by: index of series_kinds; -1: none */
	bool picture;
	bool by_stacks; /* --by phase and query: CPU time alone, no memory and processes */
	struct timeline_options steps;
	int64_t end_ns; /* of the last step */
	struct timeline *timeline;
	const struct timeline_point *points;
};

/* A length of steps that people count in: 1, 2 or 5 of a power of ten, at least `ns`. */
int64_t timeline_round_step(int64_t ns);

/* The end of the recording: of a bare trace its last event, else that of stage 2 or of the last process; -1: unknown. */
int64_t timeline_known_end(const struct view_run *run);

/* Print to stdout or into the file of -o. The options are from view_get_table_options(); they get the head. */
int timeline_print_build(const struct timeline_view *view, struct table_options *options,
			 struct err *err);

/* More points than these of all series shown are refused, ERR_USAGE. */
#define TIMELINE_POINTS_MAX 1000000

int timeline_print_series(const struct timeline_view *view, struct table_options *options,
			  struct err *err);

/* There are no steps: the trace was not played. */
int timeline_print_nothing(const struct timeline_view *view, struct table_options *options,
			   struct err *err);

/* The grouping of the steps is by process, that of their CPU time by process and phase. */
int timeline_print_picture(const struct timeline_view *view, struct err *err);

#endif
