/*
 * Events of processes, and a queue of them: first in, first out. A queue has no lock: threads that share it need one.
 */
#ifndef PLATFORM_PROC_EVENT_H
#define PLATFORM_PROC_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strvec.h"
#include "util/waits.h"

enum proc_event_kind {
	PROC_FORK, /* pid, ppid */
	PROC_EXEC, /* pid, ppid, exe, argv, cwd, env, responses, argv_lost */
	PROC_EXIT, /* pid, exit_code, signal */
	/*
	 * pid, cpu_ns, peak_rss_bytes, peak_commit_bytes, waits: so far, never falling; follows the exit, or comes at the
	 * stop for what still runs; twice if a late record adds to it
	 */
	PROC_USAGE,
};

/*
 * Response files are named by arguments that begin with @ or -Wl,@, relative to the working directory of the process.
 * The event has the path as in the argument, and the first 1 MB of the text, with each NUL replaced by a newline.
 */
struct proc_event {
	enum proc_event_kind kind;
	int64_t time_ns; /* CLOCK_MONOTONIC (Windows: QPC in ns), not relative to the start of the recording */
	int64_t pid; /* as in the trace */
	int64_t ppid;
	char *exe;          /* NULL: unknown */
	struct strvec argv; /* empty with argv_lost */
	char *cwd;          /* NULL: unknown */
	struct strvec env;  /* NAME=value of the variables to keep */
	/* @file arguments that could be read: path, text, path, text, ... */
	struct strvec responses;
	bool argv_lost; /* the process ended or ran its next program before the command line was read */
	int64_t exit_code;         /* 128 + signal if a signal ended it; -1: unknown (polling) */
	int64_t signal;            /* 0: none */
	int64_t cpu_ns;            /* -1: unknown */
	int64_t peak_rss_bytes;    /* Windows: peak working set; -1: unknown */
	int64_t peak_commit_bytes; /* Windows: most private memory committed; -1: unknown (Linux) */
	struct waits waits;        /* unknown on Windows, and for what still runs at the stop */
};

void proc_event_init(struct proc_event *event);
void proc_event_release(struct proc_event *event);

/* Of one event: a linker of rustc names one, of at most some 100 KB. */
#define PROC_RESPONSES_MAX      64
#define PROC_RESPONSE_BYTES_MAX ((size_t)1 << 20)

/*
 * Find the next argument, from index `*at` on, that names a response file. Returns its path and sets `*at` to the
 * index after it. NULL: there are no more, or the event has as many as are kept.
 */
const char *proc_event_next_response(const struct proc_event *event, size_t *at);

struct proc_queue {
	struct proc_event *events; /* from `at` on */
	size_t at, nr, alloc;
};

#define PROC_QUEUE_INIT \
	{ \
		NULL, 0, 0, 0 \
	}

/* Releases the events too. */
void proc_queue_release(struct proc_queue *queue);

/* Add an initialised event at the end. The queue owns it; the pointer is valid until the next call. */
struct proc_event *proc_queue_add(struct proc_queue *queue);

/* Move all events of `from` to the end, in the same order. */
void proc_queue_join(struct proc_queue *queue, struct proc_queue *from);

/*
 * Move the oldest event into `event`, which is released first and which the caller releases. False: the queue is
 * empty.
 */
bool proc_queue_take(struct proc_queue *queue, struct proc_event *event);

#endif
