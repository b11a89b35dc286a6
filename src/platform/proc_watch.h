/*
 * The process watch: reports, while a build runs, the processes that descend from a root: their start, the programs they
 * run, their end, CPU time and peak memory. Such a process is called tracked.
 *
 * Threads of the watch collect the events in a queue, so that a process of 1 ms is seen while the caller is busy; the
 * caller reads the queue at any time. Events are in the order in which they became known, which is not exactly the
 * order of their times: messages of two CPUs may overtake each other slightly, and polling is up to one interval
 * late.
 *
 * Linux: the proc connector and taskstats, if permitted (CAP_NET_ADMIN, initial pid, user and network namespace;
 * since Linux 6.6 the connector alone needs no capability); else /proc is polled. After lost messages (lost_events)
 * /proc is scanned: what is reported of processes that still run then is right, but a program may be reported twice,
 * and an exit code be -1.
 *
 * Windows: a job object. Its completion port reports each process that starts or ends in the job, and it counts them.
 * A process may be started outside the job (mspdbsrv.exe is): such processes are found in the list of all processes,
 * which is read four times a second. If no job can be used, that list is polled instead.
 *
 * Polling misses: a process that starts and ends between two scans (5 ms apart; 1 ms while processes start, 10 ms after a
 * second without a start); all programs but the last that a process ran between two scans; a process that leads a session
 * and whose parents had all ended at the first scan. Polling knows the exit code of a process only if its parent has not
 * collected it before the scan, or on Linux 6.15 and later.
 */
#ifndef PLATFORM_PROC_WATCH_H
#define PLATFORM_PROC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/proc_event.h"
#include "util/err.h"

/*
 * With this setting of Linux (platform/setting.h) at 1, tasks that start count how long they wait for disk and memory. It
 * is read when the watch starts.
 */
#define PROC_DELAYS_SETTING "/proc/sys/kernel/task_delayacct"

struct proc_watch_options {
	const char *const *env_names; /* patterns for names of variables to keep; ends with NULL */
	bool poll_only;               /* do not try the connector (tests) */
	int64_t poll_interval_ns;     /* 0: 5 ms */
	int64_t socket_bytes;         /* receive buffer of the connector; 0: 64 MB (tests) */
};

/*
 * `may_have_missed`, when polling on Linux: the number of pids that the system has assigned since the start
 * (/proc/loadavg has the last one) and that no process had at two scans in a row. Threads and processes outside the
 * build get pids too, so it is an upper bound. If /proc/loadavg is not usable, it is the number of all tasks started
 * (/proc/stat) minus that of the processes found: an upper bound that is much too high.
 */
struct proc_watch_status {
	const char *method;  /* "proc connector, taskstats", "proc connector", "polling /proc",
			 * "job object", "polling the list of processes"; static */
	char why_not[160];   /* why no better method is used; "" if this is the best */
	int64_t lost_events; /* connector messages dropped by the kernel (socket overrun); Windows:
				  * processes of the job without a message */
	int64_t lost_usage;  /* taskstats messages dropped */
	int64_t argv_lost;   /* programs whose command line could not be read in time */
	int64_t may_have_missed; /* upper bound of processes never seen: see above; Windows: of the job */
	int64_t broke_away; /* Windows: processes found that were started outside the job */
};

struct proc_watch;

/* Start the watch; nothing is tracked until proc_watch_add_root(). Fails only if not even polling works. */
int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err);

/*
 * Track the descendants of `pid`; with `include` also `pid` itself, whose PROC_FORK is then the first event. Call it
 * before the process forks or runs a program: a child of child_start() waits until child_release().
 */
void proc_watch_add_root(struct proc_watch *watch, int64_t pid, bool include);

/* Move the oldest event into `event`, which is released first. False: there is none at the moment. */
bool proc_watch_next(struct proc_watch *watch, struct proc_event *event);

void proc_watch_get_status(struct proc_watch *watch, struct proc_watch_status *status);

/* Process what has happened up to now and stop the thread. Events stay in the queue. May be called twice. */
void proc_watch_stop(struct proc_watch *watch);

void proc_watch_free(struct proc_watch *watch);

#endif
