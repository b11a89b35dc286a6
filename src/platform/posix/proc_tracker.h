/*
 * What is known of the followed processes, and the events that follow from what a source tells: the proc
 * connector, taskstats or looks at /proc.
 *
 * Several threads may feed it, each between proc_tracker_lock() and proc_tracker_unlock(). Messages are received under the
 * lock too, which keeps them in order; only the reading of a program's command line goes on without it.
 */
#ifndef PLATFORM_POSIX_PROC_TRACKER_H
#define PLATFORM_POSIX_PROC_TRACKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/posix/netlink_decode.h"
#include "platform/posix/proc_table.h"
#include "platform/posix/procfs.h"
#include "platform/proc_queue.h"

struct thread_owner {
	int32_t tid;
	int32_t pid;
};

/* An event not handed out yet, and for a program run what its reading was. */
struct told {
	struct proc_event event;
	bool reading; /* a thread is at it */
	int64_t read_from_ns;
	int64_t read_to_ns;
	uint64_t image;
	struct told *previous; /* program of the same process, not handed out yet */
	struct told *following;
};

struct proc_tracker {
	pthread_mutex_t lock;
	struct proc_table table;
	struct strvec env_names;
	struct procfs_buffers buffers;
	bool has_records; /* taskstats tells of CPU time and memory */

	/* Oldest first. */
	struct told **out;
	size_t out_nr, out_alloc;

	int64_t argv_lost;
	int64_t may_have_missed;

	/* Whose thread it is, for records too old to say, by the low bits of its number. */
	struct thread_owner *owners;
};

void proc_tracker_init(struct proc_tracker *tracker, const char *const *env_names);
void proc_tracker_release(struct proc_tracker *tracker);

void proc_tracker_lock(struct proc_tracker *tracker);
void proc_tracker_unlock(struct proc_tracker *tracker);

/* One message of the proc connector. The lock is open while a command line is read into `buffers`. */
void proc_tracker_take_event(struct proc_tracker *tracker, const struct cn_proc_msg *msg,
			     struct procfs_buffers *buffers);

/* One record of taskstats. */
void proc_tracker_take_record(struct proc_tracker *tracker, const struct taskstats_msg *msg);

/* Move the events that are complete to the end of `queue`, oldest first and without a gap. */
void proc_tracker_hand_out(struct proc_tracker *tracker, struct proc_queue *queue);

/* Steps that both messages and looks at /proc lead to. */
struct proc_tracked *proc_tracker_start(struct proc_tracker *tracker, int64_t pid, int64_t ppid,
					int64_t time_ns, bool silent);
void proc_tracker_exec(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns);
void proc_tracker_end(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns,
		      int64_t status);

/* Another process has the number now: what was left to tell of the former is told, its entry is gone. */
void proc_tracker_retire(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns);

/* Tell of CPU time and memory where they are news. */
void proc_tracker_tell_usage(struct proc_tracker *tracker, struct proc_tracked *p, int64_t time_ns);

#endif
