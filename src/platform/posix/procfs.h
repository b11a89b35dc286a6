/*
 * Reads /proc about a process. No function fails with an error, as a process may end at any time.
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

#endif
