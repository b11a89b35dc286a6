/*
 * Scans /proc and updates the set of tracked processes: at the start, after lost messages, and all the time when polling.
 */
#ifndef PLATFORM_POSIX_PROC_SCAN_H
#define PLATFORM_POSIX_PROC_SCAN_H

#include "platform/posix/tracked.h"

/* Track the descendants that `pid` has now, and `pid` itself, reported only with `include`. */
void scan_add_root(struct tracked_set *set, int64_t pid, bool include);

/*
 * Track a process if it started after `since_ns` and descends from a tracked one, as its parent, process group and
 * session show. NULL if it does not, or is tracked already.
 */
struct tracked *scan_found(struct tracked_set *set, const struct procfs_stat *stat,
			   int64_t since_ns);

/* Report the program of a tracked process if it has changed, or the end of the process. */
void scan_known(struct tracked_set *set, struct tracked *p);

/* Compare all of /proc with the tracked processes. Processes count as new only if they started after `since_ns`. */
void scan_all(struct tracked_set *set, int64_t since_ns);

/*
 * Read the CPU time of all running processes, and at intervals their peak memory: more often of young processes,
 * which may end soon.
 */
void scan_sample(struct tracked_set *set, int64_t now_ns);

/* Report ends without a message and usage without a record after a delay, and forget processes that ended long ago. */
void scan_settle(struct tracked_set *set, int64_t now_ns);

/* The last call: report the usage of all processes, of running ones the usage so far. */
void scan_finish(struct tracked_set *set);

#endif
