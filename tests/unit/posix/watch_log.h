/*
 * For tests of the process watch: start a watch, run programs, check the events.
 */
#ifndef TESTS_UNIT_POSIX_WATCH_LOG_H
#define TESTS_UNIT_POSIX_WATCH_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/event_log.h"
#include "util/text.h"

extern char **environ;

static inline void log_start(struct log *log, int64_t socket_bytes)
{
	log_open(log, socket_bytes);
	proc_watch_add_root(log->watch, getpid(), false);
}

/* Whether it uses the proc connector. Skips the test if that is not permitted. */
static inline void need_connector(struct log *log)
{
	proc_watch_get_status(log->watch, &log->status);
	if (text_starts_with(log->status.method, "proc connector"))
		return;
	print_message("skipped: %s\n", log->status.why_not);
	log_stop(log);
	log_release(log);
	skip();
}

static inline const struct proc_event *must_find(const struct log *log, int64_t pid,
						 enum proc_event_kind kind, size_t nth)
{
	const struct proc_event *event = find(log, pid, kind, nth);

	if (!event)
		fail_msg("no event %d number %zu of process %lld among %zu", kind, nth,
			 (long long)pid, log->nr);
	return event;
}

static inline size_t count(const struct log *log, int64_t pid, enum proc_event_kind kind)
{
	size_t nr = 0;

	while (find(log, pid, kind, nr))
		nr++;
	return nr;
}

static inline const struct proc_event *last_usage(const struct log *log, int64_t pid)
{
	return must_find(log, pid, PROC_USAGE, count(log, pid, PROC_USAGE) - 1);
}

static inline pid_t start(const char *const *argv)
{
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, argv[0], NULL, NULL, (char **)argv, environ), 0);
	return pid;
}

static inline int finish(pid_t pid, struct rusage *usage)
{
	struct rusage ignored;
	int status;

	assert_int_equal(wait4(pid, &status, 0, usage ? usage : &ignored), pid);
	return status;
}

static inline pid_t run(const char *const *argv)
{
	pid_t pid = start(argv);

	finish(pid, NULL);
	return pid;
}

/* Ourselves, as one of the processes below. */
static inline pid_t run_self(const char *mode, const char *value, struct rusage *usage)
{
	const char *argv[] = { "/proc/self/exe", mode, value, NULL };
	pid_t pid = start(argv);

	finish(pid, usage);
	return pid;
}

static inline int64_t cpu_ns(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_S +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * NS_PER_US;
}

static inline void sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * NS_PER_MS };

	nanosleep(&time, NULL);
}

#endif
