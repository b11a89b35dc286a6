/*
 * Drives a service profiler (profiler/profiler.h) in one recording, with progress on the status line and reactions to
 * Ctrl-C. For any other profiler the functions do nothing.
 */
#ifndef RECORD_SERVICE_H
#define RECORD_SERVICE_H

#include <stdbool.h>

#include "profiler/profiler.h"
#include "record/status.h"

enum service_wait {
	WAIT_TO_END,   /* Ctrl-C does not end the wait */
	WAIT_BRIEF,    /* a second Ctrl-C ends the wait */
	WAIT_OR_LEAVE, /* the same, but the tool keeps running; the first Ctrl-C explains that */
};

struct service {
	struct profiler_session session;
	struct status *status; /* borrowed */
	bool running;          /* the session records */
	char *trace_dir;       /* profiler_ops.trace_dir; NULL: the profiler is no service */
	/* Of the current wait: */
	enum service_wait wait;
	int64_t since;      /* clock, when it began */
	int interrupts;     /* number of interrupts when it began */
	bool explained;     /* the user knows what another Ctrl-C does */
	size_t warnings_nr; /* number of the manifest's warnings when it began */
};

/* The arguments are borrowed. */
void service_init(struct service *service, const struct profiler_ops *profiler,
		  const struct profiler_job *job, struct manifest *manifest, struct status *status);

/* Free everything. A session that still records is cancelled, or left to `recover` if `keep`. */
void service_release(struct service *service, bool keep);

/* To be called around calls of the session: show progress during the wait, and new warnings of the manifest at its end. */
void service_begin_wait(struct service *service, enum service_wait wait);
void service_end_wait(struct service *service);

int service_start(struct service *service, struct err *err);

/* Write a marker into the trace. A failure is a warning. */
void service_mark(struct service *service, const char *text);

/*
 * Save the trace and set lost_trace_events of the manifest. If the trace is lost the run is marked failed. -1: saving
 * failed now, but `recover` can still save it.
 */
int service_stop(struct service *service, struct err *err);

#endif
