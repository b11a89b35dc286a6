/*
 * The tracked processes, and the events that follow from messages of the proc connector, records of taskstats and scans
 * of /proc.
 *
 * Several threads may update the set, each under its lock, the monitor. Messages are received under the lock too, which
 * keeps them in order; only a command line is read without it.
 */
#ifndef PLATFORM_POSIX_TRACKED_H
#define PLATFORM_POSIX_TRACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/posix/netlink.h"
#include "platform/posix/procfs.h"
#include "platform/proc_event.h"
#include "platform/proc_source.h"
#include "platform/thread.h"
#include "util/intmap.h"

/* A process of the build. It is kept for a while after its end, as its last records may be late. */
struct tracked {
	int64_t pid;
	int64_t ppid;
	int64_t start_ns;
	int64_t scanned_ns; /* when a scan of /proc found it: older messages add nothing; 0: it was not found by a scan */
	int64_t end_ns; /* end of the last task that was seen to end; 0: none */
	int64_t status; /* as from wait(), of the last task that did not end with 0, else of the leader */
	bool silent;       /* a root that is not reported, only its descendants are */
	bool ended;        /* PROC_EXIT was reported */
	bool leader_ended; /* its first thread has ended; others may still run */

	/*
	 * Numbers of tasks (threads, the first included): since the last exec; ended since then; in all; with a
	 * record of their end.
	 */
	int64_t tasks;
	int64_t tasks_ended;
	int64_t tasks_ever;
	int64_t records;

	int64_t record_cpu_ns;   /* sum of the records */
	int64_t cpu_ns;          /* the largest value of any source; -1: unknown */
	int64_t peak_rss_bytes;  /* likewise */
	int64_t reported_cpu_ns; /* as in the last PROC_USAGE */
	int64_t reported_peak_rss_bytes;
	struct waits waits; /* sums of the records */
	bool io_unknown;    /* of a record */
	struct waits reported_waits;

	/* The last program it was seen to run. */
	bool has_run;
	bool unseen; /* it runs a program whose command line could not be read yet */
	uint64_t image;
	int64_t arg_start;       /* polling */
	int64_t ran_ns;          /* when that was read */
	struct pending *program; /* its last PROC_EXEC, if not handed out yet */
	int readers;             /* threads that read its command line */
	bool removed;            /* out of the table, for the last reader to free */

	int pidfd;           /* polling; -1: none */
	int64_t compared_ns; /* polling: when its program was last compared */
	int64_t sampled_ns;  /* when its memory was last read */
};

struct proc_table {
	struct intmap by_pid; /* of struct tracked */
	size_t living;        /* those that have not ended */
};

struct thread_owner {
	int32_t tid;
	int32_t pid;
};

/* An event that is not handed out yet; for PROC_EXEC with the state of reading its command line. */
struct pending {
	struct proc_event event;
	bool reading; /* by a thread, now */
	int64_t read_from_ns;
	int64_t read_to_ns;
	uint64_t image;
	struct pending *previous; /* program of the same process, not handed out yet */
	struct pending *following;
};

struct tracked_set {
	struct monitor *monitor;
	struct proc_table table;
	struct strvec env_names;
	struct procfs_buffers buffers;
	bool has_records; /* taskstats reports CPU time, memory and waits */
	bool has_delays;  /* those for disk and memory too */

	/* Oldest first. */
	struct pending **out;
	size_t out_nr, out_alloc;

	int64_t argv_lost;
	int64_t may_have_missed;

	/*
	 * The process of each thread, by the low bits of the thread id: for old taskstats records, which do not have
	 * it.
	 */
	struct thread_owner *owners;
};

/* Find a tracked process; NULL: the pid is not tracked. */
struct tracked *proc_table_find(const struct proc_table *table, int64_t pid);

/* Remove all for which `is_done` returns true. It must not add or remove processes itself. */
void proc_table_sweep(struct proc_table *table, bool (*is_done)(struct tracked *p, void *data),
		      void *data);

void tracked_set_init(struct tracked_set *set, const char *const *env_names);
void tracked_set_release(struct tracked_set *set);

/* Process one message of the proc connector. The lock is released while a command line is read into `buffers`. */
void tracked_set_take_event(struct tracked_set *set, const struct cn_proc_msg *msg,
			    struct procfs_buffers *buffers);

/* Process one record of taskstats. */
void tracked_set_take_record(struct tracked_set *set, const struct taskstats_msg *msg);

/* Move the oldest events, up to the first incomplete one, to the end of `queue`. */
void tracked_set_hand_out(struct tracked_set *set, struct proc_queue *queue);

/* Steps that messages and scans of /proc have in common. */
struct tracked *tracked_set_start(struct tracked_set *set, int64_t pid, int64_t ppid,
				  int64_t time_ns, bool silent);
void tracked_set_exec(struct tracked_set *set, struct tracked *p, int64_t time_ns);
void tracked_set_end(struct tracked_set *set, struct tracked *p, int64_t time_ns, int64_t status);

/* Another process has the pid now: report what is still unreported of this one, and forget it. */
void tracked_set_retire(struct tracked_set *set, struct tracked *p, int64_t time_ns);

/* Report CPU time and memory if they have changed. */
void tracked_set_report_usage(struct tracked_set *set, struct tracked *p, int64_t time_ns);

/* The sources that update a set. */
extern const struct proc_source_ops proc_live_source; /* proc connector, taskstats */
extern const struct proc_source_ops proc_poll_source; /* /proc */

#endif
