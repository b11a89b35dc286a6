/*
 * Keeps the events of a process watch: for its tests on each system.
 */
#ifndef TESTS_UNIT_EVENT_LOG_H
#define TESTS_UNIT_EVENT_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/proc_watch.h"
#include "util/array.h"

struct log {
	struct proc_watch *watch;
	struct proc_event *events;
	size_t nr, alloc;
	struct proc_watch_status status;
};

static const char *const env_names[] = { "STAGETRACE_TEST_*", NULL };

/* cmocka's initial state: whether to poll. */
static bool polling;

/* `socket_bytes`: as in struct proc_watch_options. */
static inline void log_open(struct log *log, int64_t socket_bytes)
{
	struct proc_watch_options options = { .env_names = env_names,
					      .poll_only = polling,
					      .socket_bytes = socket_bytes };
	struct err err = ERR_INIT;

	memset(log, 0, sizeof(*log));
	if (proc_watch_start(&options, &log->watch, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void log_drain(struct log *log)
{
	struct proc_event event;

	proc_event_init(&event);
	while (proc_watch_next(log->watch, &event)) {
		ARRAY_GROW(log->events, log->nr + 1, log->alloc);
		log->events[log->nr++] = event;
		proc_event_init(&event);
	}
}

static inline void log_stop(struct log *log)
{
	proc_watch_stop(log->watch);
	log_drain(log);
	proc_watch_get_status(log->watch, &log->status);
}

static inline void log_release(struct log *log)
{
	for (size_t i = 0; i < log->nr; i++)
		proc_event_release(&log->events[i]);
	free(log->events);
	proc_watch_free(log->watch);
}

/* Event number `nth` of a kind of a process, from 0. */
static inline const struct proc_event *find(const struct log *log, int64_t pid,
					    enum proc_event_kind kind, size_t nth)
{
	for (size_t i = 0; i < log->nr; i++) {
		if (log->events[i].pid == pid && log->events[i].kind == kind && nth-- == 0)
			return &log->events[i];
	}
	return NULL;
}

#endif
