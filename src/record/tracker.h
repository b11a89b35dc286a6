/*
 * Builds one tagged row per process from the events of the process watch. The events come from a running watch or
 * from a journal, so `recover` gets the same rows.
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
	/* See profiler_ops.own_script; NULL: the profiler's programs are recognised by their number (own_execs) alone. */
	const char *own_script;
	int own_execs; /* programs that the first process runs before it is the build */
};

struct tracker *tracker_new(const struct tracker_options *options);
void tracker_free(struct tracker *tracker);

void tracker_event(struct tracker *tracker, const struct proc_event *event);

/* How many processes have ended so far. */
uint64_t tracker_ended(const struct tracker *tracker);

/* The processes that run now, for the status line. */
struct tracker_live {
	size_t by_role[ROLE_COUNT];
	size_t total;
	int64_t resident_bytes;      /* sum over all; shared pages count for each process */
	int64_t peak_resident_bytes; /* the highest sum seen; at least the peak of one process */
	int64_t biggest_bytes;
	const struct process *biggest; /* NULL: none; valid until the next event */
};

/* Read the resident memory of all living processes, and update the peak of each. */
void tracker_read_memory(struct tracker *tracker, struct tracker_live *live);

/* Call `fn` for each process known to live; it must not change the tracker. */
void tracker_each_living(const struct tracker *tracker,
			 void (*fn)(const struct process *process, void *data), void *data);

/* Ask all living processes to terminate, or kill them (`force`); returns their number. */
size_t tracker_signal(const struct tracker *tracker, bool force);

/*
 * All rows by start time, with final tags. `*build` is the build's first process; NULL: none was seen. The tracker
 * owns everything.
 */
const struct process_list *tracker_finish(struct tracker *tracker, const struct process **build);

#endif
