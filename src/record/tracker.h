/*
 * The process watch's events, put together to one row per process, tagged. Takes events from a live watch
 * or from a journal alike, so that `recover` comes to the same rows.
 */
#ifndef RECORD_TRACKER_H
#define RECORD_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/process.h"
#include "platform/proc_watch.h"
#include "tag/tag.h"

struct tracker;

struct tracker_options {
	const struct tag_rules *rules; /* borrowed, outlives the tracker */
	int64_t base_ns;               /* clock at the start of the recording */
	/* As recorder_ops.own_script; NULL: its own programs are counted alone. */
	const char *own_script;
	int own_execs; /* programs that the first process runs before it is the build */
};

struct tracker *tracker_new(const struct tracker_options *options);
void tracker_free(struct tracker *tracker);

void tracker_event(struct tracker *tracker, const struct proc_event *event);

/* What runs at this moment, for the status line. */
struct tracker_live {
	size_t by_role[ROLE_COUNT];
	size_t total;
	int64_t resident_bytes;      /* of all, summed; shared pages count for each */
	int64_t peak_resident_bytes; /* the highest that was seen */
	int64_t biggest_bytes;
	const struct process *biggest; /* NULL: none; good until the next event */
};

/* Look at the memory of all living processes, and remember each one's highest. */
void tracker_look(struct tracker *tracker, struct tracker_live *live);

/* Those that live, as far as they are known; `fn` keeps its hands off the tracker. */
void tracker_each_living(const struct tracker *tracker,
			 void (*fn)(const struct process *process, void *data), void *data);

/* Ask all that still live to end, or kill them with `force`; returns how many there were. */
size_t tracker_signal(const struct tracker *tracker, bool force);

/*
 * All rows, tagged with what the whole build has shown, by start time; `*build` is the
 * build's first process, NULL where none was seen. All stays the tracker's.
 */
const struct process_list *tracker_finish(struct tracker *tracker, const struct process **build);

#endif
