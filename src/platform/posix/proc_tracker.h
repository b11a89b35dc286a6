/*
 * What is known of the followed processes, and the events that follow from what a source tells: the proc
 * connector, taskstats or looks at /proc. It belongs to the watching thread alone.
 */
#ifndef PLATFORM_POSIX_PROC_TRACKER_H
#define PLATFORM_POSIX_PROC_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/posix/netlink_decode.h"
#include "platform/posix/proc_table.h"
#include "platform/posix/procfs.h"
#include "platform/proc_watch.h"

struct thread_owner {
	int32_t tid;
	int32_t pid;
};

struct proc_tracker {
	struct proc_table table;
	struct strvec env_names;
	struct procfs_buffers buffers;
	bool has_records; /* taskstats tells of CPU time and memory */

	/* Events not handed out yet, oldest first. */
	struct proc_event *out;
	size_t out_nr, out_alloc;
	uint64_t batch; /* how often that was handed out, from 1 */

	int64_t argv_lost;
	int64_t may_have_missed;

	/* Whose thread it is, for records too old to say, by the low bits of its number. */
	struct thread_owner *owners;
};

void tracker_init(struct proc_tracker *tracker, const char *const *env_names);
void tracker_release(struct proc_tracker *tracker);

/* One message of the proc connector. */
void tracker_take_event(struct proc_tracker *tracker, const struct cn_proc_msg *msg);

/* One record of taskstats. */
void tracker_take_record(struct proc_tracker *tracker, const struct taskstats_msg *msg);

/* The events are handed out: `out` is empty again. */
void tracker_handed_out(struct proc_tracker *tracker);

/* Steps that both messages and looks at /proc lead to. */
struct tracked *tracker_start(struct proc_tracker *tracker, int64_t pid, int64_t ppid,
			      int64_t time_ns, bool silent);
void tracker_exec(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns);
void tracker_exec_unseen(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns);
void tracker_end(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns, int64_t status);

/* Another process has the number now: what was left to tell of the former is told, its entry is gone. */
void tracker_retire(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns);

/* Tell of CPU time and memory where they are news. */
void tracker_tell_usage(struct proc_tracker *tracker, struct tracked *p, int64_t time_ns);

#endif
