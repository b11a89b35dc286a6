/*
 * What the tracker learns by looking at /proc itself: where it starts, after messages were lost, and all the time
 * where there are no messages.
 */
#ifndef PLATFORM_POSIX_PROC_LOOK_H
#define PLATFORM_POSIX_PROC_LOOK_H

#include "platform/posix/proc_tracker.h"

/* Follow `pid` and the descendants that it has by now. */
void look_add_root(struct proc_tracker *tracker, int64_t pid, bool include);

/*
 * A process without an entry that descends from a followed one, going by its parent, process group and session,
 * gets one; it started after `since_ns`. NULL where it is a stranger.
 */
struct proc_tracked *look_found(struct proc_tracker *tracker, const struct procfs_stat *stat,
				int64_t since_ns);

/* Does a followed process run another program than last seen, or is it gone? Tell of it. */
void look_again(struct proc_tracker *tracker, struct proc_tracked *p);

/* Compare all of /proc with what is known; the new started after `since_ns`. */
void look_all(struct proc_tracker *tracker, int64_t since_ns);

/* CPU time so far of those that live, and memory of those due: the young more often, for they may end soon. */
void look_sample(struct proc_tracker *tracker, int64_t now_ns);

/* What is due by time: ends that lack a message, usage that lacks a record, the long dead. */
void look_settle(struct proc_tracker *tracker, int64_t now_ns);

/* Nothing comes any more: tell of all, of the living as far as they got. */
void look_finish(struct proc_tracker *tracker);

#endif
