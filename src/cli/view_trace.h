/*
 * Playing the trace of a view: opened by what the run says of it, with all that went wrong told on stderr.
 */
#ifndef CLI_VIEW_TRACE_H
#define CLI_VIEW_TRACE_H

#include <stdbool.h>

#include "analysis/process_filter.h"
#include "cli/view_run.h"
#include "replay/replay.h"
#include "util/err.h"

struct view_trace_options {
	bool cpu, memory, names;
	bool mangled, inlines;
	/*
	 * Processes will be told apart by what they are for. In a bare trace that is known only once it was
	 * played: it is read twice then.
	 */
	bool tags;
	/* All processes are wanted before their first event, also those of a run that only its trace knows. */
	bool processes;
};

/* `replay` is to be closed only where it was opened. It takes `run`'s processes as its rows. */
int view_trace_open(struct view_run *run, const struct view_trace_options *options,
		    struct replay *replay, struct err *err);

/* Of a view that has more to show than its trace: where a run's can't be opened that is said, and 1 returned. */
int view_trace_open_beside(struct view_run *run, const struct view_trace_options *options,
			   struct replay *replay, struct err *err);

/* Play it, and tell what its results lack. */
int view_trace_play(struct replay *replay, replay_fn *take, void *data, struct err *err);

/* Whether the run was recorded with a trace, or is one. */
bool view_trace_there(const struct view_run *run);

/* Whether any filter by name is given. */
bool view_trace_filters(const struct process_filter *filter);

#endif
