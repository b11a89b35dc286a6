/*
 * A live watch on all processes that descend from one: starts, programs run, ends, CPU time and peak memory.
 *
 * Threads of its own collect, so that a process of 1 ms is caught while the caller is busy; the caller drains the
 * events when it likes. Linux: proc connector and taskstats where the rights are there (CAP_NET_ADMIN, initial
 * pid, user and network namespace; the connector alone for anyone since Linux 6.6), else /proc is polled.
 *
 * Events come in the order in which they were learnt. Their times may differ from that by the little that two CPUs'
 * messages overtake each other, and when polling by the time between two looks.
 *
 * After lost messages (lost_events) /proc is searched for what they would have told: all that still runs then is
 * right, a program may be told twice, an exit code be -1.
 *
 * Windows: a job object, whose completion port is told of each process that starts and ends in it, and which counts
 * them. A process may be started outside the job (mspdbsrv.exe is): those are found in the list of all
 * processes, four times a second. Where there can be no job, all of them are.
 *
 * What polling cannot see: a process that starts and ends between two looks (5 ms; 1 ms while processes start,
 * 10 ms after a second without); the programs that a process ran before the last one in that time; a process whose
 * parents were all gone at the first look and that leads a session of its own. Exit codes are known of processes
 * that are still to be collected when we look, of all from Linux 6.15 on.
 */
#ifndef PLATFORM_PROC_WATCH_H
#define PLATFORM_PROC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

enum proc_event_kind {
	PROC_FORK, /* pid, ppid */
	PROC_EXEC, /* pid, ppid, exe, argv, cwd, env, responses, argv_lost */
	PROC_EXIT, /* pid, exit_code, signal */
	PROC_USAGE, /* pid, cpu_ns, peak_rss_bytes, peak_commit_bytes: so far, never falling; follows the
		     * exit, or comes at the stop for what still runs; twice where a late record adds to it */
};

/*
 * Response files are those of arguments that begin with @ or -Wl,@, found from the process's own directory: the path
 * as it was given, the first 1 MB of text with each NUL as a newline.
 */
struct proc_event {
	enum proc_event_kind kind;
	int64_t time_ns; /* CLOCK_MONOTONIC (Windows: QPC in ns), not relative */
	int64_t pid;     /* as the trace knows it */
	int64_t ppid;
	char *exe;          /* NULL: not known */
	struct strvec argv; /* empty with argv_lost */
	char *cwd;          /* NULL: not known */
	struct strvec env;  /* the chosen NAME=value pairs */
	/* @file arguments that could be read: path, text, path, text, ... */
	struct strvec responses;
	bool argv_lost;         /* it ended or ran its next program before this one was read */
	int64_t exit_code;      /* 128 + signal where a signal ended it; -1 not known (polling) */
	int64_t signal;         /* 0: none */
	int64_t cpu_ns;         /* -1: not known */
	int64_t peak_rss_bytes; /* Windows: peak working set; -1: not known */
	int64_t peak_commit_bytes; /* Windows: most private memory committed; -1: not known (Linux) */
};

void proc_event_init(struct proc_event *event);
void proc_event_release(struct proc_event *event);

struct proc_watch_options {
	const char *const *env_names; /* globs of variables to keep, NULL-terminated */
	bool poll_only;               /* do not try the connector (tests) */
	int64_t poll_interval_ns;     /* 0: 5 ms */
	int64_t socket_bytes;         /* receive buffer of the connector; 0: 64 MB (tests) */
};

/*
 * `may_have_missed` counts the process numbers that the system gave out since the start (the last is in /proc/loadavg)
 * and that were gone at the first look and at the second. Threads and other people's processes take
 * numbers too, so it is the most that ours can be. Where that file cannot be trusted it is all tasks started
 * (/proc/stat) less the processes found, a bound that is much too high.
 */
struct proc_watch_status {
	const char *method;  /* "proc connector, taskstats", "proc connector", "polling /proc",
			 * "job object", "polling the list of processes"; static */
	char why_not[160];   /* why nothing better; "" where it is the best there is */
	int64_t lost_events; /* connector messages dropped by the kernel (socket overrun); Windows:
				  * processes that the job has and did not tell of */
	int64_t lost_usage;  /* taskstats messages dropped */
	int64_t argv_lost;   /* processes whose command line was gone */
	int64_t may_have_missed; /* polling: processes never seen, at most: see above; Windows: of the job */
	int64_t broke_away; /* Windows: processes found that were started outside the job */
};

struct proc_watch;

/* Start watching; nothing is followed until proc_watch_add_root(). Fails only where not even polling works. */
int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err);

/*
 * Follow the descendants of `pid`, and `pid` itself with `include`. To be called before it forks or runs
 * a program, so that a child waits for that (child_start()). With `include` a PROC_FORK for it is the
 * first event.
 */
void proc_watch_add_root(struct proc_watch *watch, int64_t pid, bool include);

/* Move the oldest event into `event` (released first); false where there is none at the moment. */
bool proc_watch_next(struct proc_watch *watch, struct proc_event *event);

void proc_watch_get_status(struct proc_watch *watch, struct proc_watch_status *status);

/* Take in what has happened up to now, stop the thread. Events stay to be drained. Safe to call twice. */
void proc_watch_stop(struct proc_watch *watch);

void proc_watch_free(struct proc_watch *watch);

#endif
