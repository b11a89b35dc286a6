/*
 * What /proc says about a process at this moment. Nothing here is an error: a process may be gone at any step.
 */
#ifndef PLATFORM_POSIX_PROCFS_H
#define PLATFORM_POSIX_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/proc_watch.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* /proc/PID/stat, of a process or a thread. */
struct procfs_stat {
	int64_t pid;
	char state;
	int64_t ppid;
	int64_t pgrp;
	int64_t session;
	bool only_forked; /* runs its parent's program still */
	bool is_thread;
	int64_t threads;
	int64_t start_ns; /* CLOCK_MONOTONIC, rounded down to a tick (10 ms) */
	int64_t start_ticks; /* since boot, sleep of the system included: the same whenever it is read */
	int64_t arg_start; /* where the arguments are: another place with each program run; 0: not allowed */
	int64_t status; /* of a zombie, as from wait(); -1 not known or not allowed */
};

/* Pure: from the file's text. `boot_ns` is what CLOCK_BOOTTIME has more than CLOCK_MONOTONIC. */
bool procfs_parse_stat(const char *text, int64_t boot_ns, struct procfs_stat *stat);

bool procfs_read_stat(int64_t pid, struct procfs_stat *stat);

/* Kept from call to call, so that reading an image needs no allocation for the bytes. */
struct procfs_buffers {
	struct strbuf cmdline;
	struct strbuf other;
};

void procfs_buffers_release(struct procfs_buffers *buffers);

/*
 * Fill exe, argv, cwd, env (the NAME=value pairs whose name a glob in `env_names` takes), responses and
 * argv_lost of `event`, in the order of their worth. Returns the image's number as procfs_image() does.
 *
 * An empty command line means that it came too late, for a zombie and for a process about to run its next
 * program both have none. Trailing empty arguments are dropped where there are more than 8: padding of a
 * process that overwrote its arguments with a title.
 */
uint64_t procfs_read_image(int64_t pid, const struct strvec *env_names,
			   struct procfs_buffers *buffers, struct proc_event *event);

/* Pure: split the bytes of /proc/PID/cmdline, with the padding dropped. */
void procfs_split_cmdline(const char *bytes, size_t len, struct strvec *argv);

/*
 * A number for the program that a process runs: of its executable and the first 4 KB of its command line. 0 where
 * it runs none any more.
 */
uint64_t procfs_image(int64_t pid);

/* CPU time of a whole process so far, exact; -1 where it is gone. */
int64_t procfs_cpu_ns(int64_t pid);

/* The most memory it ever had resident; -1 where it is gone. */
int64_t procfs_peak_rss(int64_t pid);

/* Tasks started on this machine since it was booted, threads included; -1 not known. */
int64_t procfs_started(void);

/* All processes, in no order; -1 where /proc cannot be read. The caller frees `*pids`. */
int procfs_list(int64_t **pids, size_t *nr);

#endif
