/*
 * Where the watch gets its news from. One runs at a time, on the watching thread:
 *
 *     start; while not told to stop: wait, take, and hand out the events; at the end finish.
 *
 * take and finish are called with the tracker locked.
 */
#ifndef PLATFORM_POSIX_PROC_SOURCE_H
#define PLATFORM_POSIX_PROC_SOURCE_H

#include "platform/posix/proc_tracker.h"
#include "util/err.h"

struct proc_source;

struct proc_source_ops {
	/* Ready to take news from now on; -1 with the reason where this system or user cannot. */
	int (*open)(const struct proc_watch_options *options, struct proc_source **source,
		    struct err *err);

	/* Does it bring records of CPU time and memory? */
	bool (*has_records)(const struct proc_source *source);

	/* At the beginning of the watching thread; may start others. */
	void (*start)(struct proc_source *source, struct proc_tracker *tracker);

	/* Until there may be news, or `wake` can be read. */
	void (*wait)(struct proc_source *source, struct proc_tracker *tracker, int wake);

	/* Take in all that has happened. */
	void (*take)(struct proc_source *source, struct proc_tracker *tracker);

	/* Stop the others; as take, and what is still under way of processes that are gone already. */
	void (*finish)(struct proc_source *source, struct proc_tracker *tracker);

	/* method, why_not, lost_events, lost_usage. */
	void (*get_status)(struct proc_source *source, struct proc_watch_status *status);

	void (*close)(struct proc_source *source);
};

extern const struct proc_source_ops proc_live_source; /* proc connector, taskstats */
extern const struct proc_source_ops proc_poll_source;

#endif
