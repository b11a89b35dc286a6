/*
 * A source of events for the process watch: one implementation for each interface of the system.
 *
 * The thread of the process watch calls all functions except open, wake and close, in this order:
 *
 *     start; step, hand_out, add_root for each new root, and again, until proc_watch_stop(); finish, hand_out
 */
#ifndef PLATFORM_PROC_SOURCE_H
#define PLATFORM_PROC_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/proc_event.h"
#include "util/err.h"

struct proc_watch_options;
struct proc_watch_status;
struct proc_source;

struct proc_source_ops {
	/* Start to collect events; -1 with the reason if this system does not support it or this user may not. */
	int (*open)(const struct proc_watch_options *options, struct proc_source **source,
		    struct err *err);

	/* Called first in the thread; may start other threads. */
	void (*start)(struct proc_source *source);

	/* Wait until something may have happened or wake() is called, and process it. */
	void (*step)(struct proc_source *source);

	/* End the wait of the current or the next step. May be called from any thread. */
	void (*wake)(struct proc_source *source);

	/* Track all present and future descendants of `pid`; with `include` also `pid` itself. */
	void (*add_root)(struct proc_source *source, int64_t pid, bool include);

	/* Stop other threads; process everything up to now, also events of processes that have ended. */
	void (*finish)(struct proc_source *source);

	/* Move the events that are complete to the end of `queue`. */
	void (*hand_out)(struct proc_source *source, struct proc_queue *queue);

	/* Set the fields that this source knows; the others keep their values. */
	void (*get_status)(struct proc_source *source, struct proc_watch_status *status);

	void (*close)(struct proc_source *source);
};

/* The sources of this system, the best first; the last one polls. Ends with NULL. */
extern const struct proc_source_ops *const proc_sources[];

#endif
