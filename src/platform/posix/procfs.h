/*
 * Reads /proc: about a process, and which pids were assigned. No function fails with an error, as a process may end at any
 * time.
 */
#ifndef PLATFORM_POSIX_PROCFS_H
#define PLATFORM_POSIX_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/proc_event.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* /proc/PID/stat, of a process or a thread. */
struct procfs_stat {
	int64_t pid;
	char state;
	int64_t ppid;
	int64_t pgrp;
	int64_t session;
	bool only_forked; /* it still runs the program of its parent */
	bool is_thread;
	int64_t threads;
	int64_t start_ns;    /* CLOCK_MONOTONIC, rounded down to a tick (10 ms) */
	int64_t start_ticks; /* since boot, including suspend: the same whenever it is read */
	int64_t arg_start; /* address of the arguments, which differs for each program run; 0: not permitted */
	int64_t status; /* of a zombie, as from wait(); -1: unknown or not permitted */
};

/* Pure: parse the text of the file. `boot_ns` is CLOCK_BOOTTIME minus CLOCK_MONOTONIC. */
bool procfs_parse_stat(const char *text, int64_t boot_ns, struct procfs_stat *stat);

bool procfs_read_stat(int64_t pid, struct procfs_stat *stat);

/* Buffers that are reused, so that reading an image allocates no memory for the bytes of files. */
struct procfs_buffers {
	struct strbuf cmdline;
	struct strbuf other;
};

void procfs_buffers_release(struct procfs_buffers *buffers);

/*
 * Set exe, argv, cwd, env (the NAME=value pairs whose name matches a pattern in `env_names`), responses and argv_lost
 * of `event`, the most important first. Returns what procfs_image() returns.
 *
 * If the command line is empty, it was read too late: a zombie has none, nor has a process that is about to run its
 * next program. More than 8 empty arguments at the end are dropped: they are the padding of a process that overwrote
 * its arguments with a title.
 */
uint64_t procfs_read_image(int64_t pid, const struct strvec *env_names,
			   struct procfs_buffers *buffers, struct proc_event *event);

/* Pure: split the bytes of /proc/PID/cmdline, with the padding dropped. */
void procfs_split_cmdline(const char *bytes, size_t len, struct strvec *argv);

/*
 * A number that identifies the program that a process runs: a hash of its executable and the first 4 KB of its
 * command line. 0: it runs no program any more.
 */
uint64_t procfs_image(int64_t pid);

/* Exact CPU time of a whole process so far; -1: it has ended. */
int64_t procfs_cpu_ns(int64_t pid);

/* Read a file of /proc/PID; empty if the process has ended or the file may not be read. */
void procfs_read(int64_t pid, const char *name, struct strbuf *sb);

/* Peak resident memory of a process so far; -1: it has ended. */
int64_t procfs_peak_rss(int64_t pid);

/* Number of tasks, threads included, started on this machine since boot; -1: unknown. */
int64_t procfs_started(void);

/* The pids of all processes, in no order; -1: /proc cannot be read. The caller frees `*pids`. */
int procfs_list(int64_t **pids, size_t *nr);

/*
 * Which pids were assigned since the last scan. The kernel assigns them in ascending order and shows the last one in
 * /proc/loadavg, so one small read shows whether any process started, and which pids to read.
 */
struct pid_cursor {
	int fd; /* -1: /proc/loadavg is not usable here */
	int64_t last;
	int64_t limit; /* pids are below this, and then start from low ones again */
};

/* Open the cursor and try it with a thread: `fd` is -1 if the thread's id does not show up. */
void pid_cursor_open(struct pid_cursor *cursor);
void pid_cursor_close(struct pid_cursor *cursor);

/*
 * Get the new pids: those after `*from`, up to and including `*to`. False: there are none. If `*to` is smaller than
 * `*from`, pids wrapped around at `limit`.
 */
bool pid_cursor_next(struct pid_cursor *cursor, int64_t *from, int64_t *to);

/* The number of pids in such a range, and the pid that follows `pid`. */
int64_t pid_cursor_count(const struct pid_cursor *cursor, int64_t from, int64_t to);
int64_t pid_cursor_after(const struct pid_cursor *cursor, int64_t pid);

/* Pure: the last pid from the text of /proc/loadavg; -1 if there is none. */
int64_t pid_cursor_parse(const char *text);

#endif
