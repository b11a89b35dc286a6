/*
 * A live watch on all processes that descend from one: starts, programs run, ends, CPU time and peak memory.
 *
 * A thread of its own collects, so that a process of 3 ms is caught while the caller is busy; the caller
 * drains the events when it likes. Linux: proc connector and taskstats where the rights are there
 * (CAP_NET_ADMIN, initial pid namespace), else /proc is polled, and what that loses is estimated.
 */
#ifndef PLATFORM_PROC_WATCH_H
#define PLATFORM_PROC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strvec.h"

enum proc_event_kind {
	PROC_FORK,  /* pid, ppid */
	PROC_EXEC,  /* pid, ppid, exe, argv, cwd, env, responses, argv_lost */
	PROC_EXIT,  /* pid, exit_code, signal */
	PROC_USAGE, /* pid, cpu_ns, peak_rss_bytes: so far, never falling; may follow the exit */
};

struct proc_event {
	enum proc_event_kind kind;
	int64_t time_ns; /* CLOCK_MONOTONIC (Windows: QPC in ns), not relative */
	int64_t pid;     /* as the trace knows it */
	int64_t ppid;
	char *exe;               /* NULL: not known */
	struct strvec argv;      /* empty with argv_lost */
	char *cwd;               /* NULL: not known */
	struct strvec env;       /* the chosen NAME=value pairs */
	struct strvec responses; /* @file arguments: path, text, path, text, ... */
	bool argv_lost;          /* it ended before its command line could be read */
	int64_t exit_code;       /* 128 + signal where a signal ended it; -1 not known (polling) */
	int64_t signal;          /* 0: none */
	int64_t cpu_ns;          /* -1: not known */
	int64_t peak_rss_bytes;  /* -1: not known */
};

void proc_event_init(struct proc_event *event);
void proc_event_release(struct proc_event *event);

struct proc_watch_options {
	const char *const *env_names; /* globs of variables to keep, NULL-terminated */
	bool poll_only;               /* do not try the connector (tests) */
	int64_t poll_interval_ns;     /* 0: 5 ms */
	int64_t socket_bytes;         /* receive buffer of the connector; 0: 64 MB (tests) */
};

struct proc_watch_status {
	const char *
		method; /* "proc connector, taskstats", "proc connector", "polling /proc"; static */
	char why_not[160];       /* why nothing better; "" where it is the best there is */
	int64_t lost_events;     /* connector messages dropped by the kernel (socket overrun) */
	int64_t lost_usage;      /* taskstats messages dropped */
	int64_t argv_lost;       /* processes whose command line was gone */
	int64_t may_have_missed; /* polling: tasks started between two looks and never seen, at most */
};

struct proc_watch;

/* Start watching; nothing is followed until proc_watch_add_root(). Fails only where not even polling works. */
int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err);

/*
 * Follow the descendants of `pid`, and `pid` itself with `include`. To be called before it forks or runs
 * a program, so the child waits for that (child_spawn() with `hold`). With `include` a PROC_FORK for it is the
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
