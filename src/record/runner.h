/*
 * Waits for the end of one command of a recording. Meanwhile watches interrupts, the time limit, free disk space and the
 * build's processes, and stops the build if necessary.
 */
#ifndef RECORD_RUNNER_H
#define RECORD_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platform/child.h"
#include "platform/proc_watch.h"
#include "record/status.h"
#include "record/tracker.h"
#include "rundir/journal.h"
#include "util/err.h"

/* Why a wait ended. */
enum run_end {
	RUN_END_NORMAL,      /* the command ended without being stopped */
	RUN_END_INTERRUPTED, /* Ctrl-C: the build was stopped */
	RUN_END_ABANDONED,   /* Ctrl-C twice: everything was killed */
	RUN_END_TIMEOUT,
	RUN_END_NO_SPACE, /* the disk is nearly full: the build was stopped while there is room to save */
	RUN_END_DIR_GONE, /* the run directory was removed */
	RUN_END_JOURNAL,  /* the journal could not be written */
};

struct runner {
	const char *what; /* shown on the status line */
	const char *dir;  /* the run directory */
	const char *cookie;
	const char *build_log; /* copied to `messages` if `verbose` */
	bool verbose;
	int64_t deadline_ns; /* clock; 0: none */
	int64_t disk_floor;  /* bytes that must stay free */
	struct status *status;
	FILE *messages;

	/* For the recorded stage only; else NULL. */
	struct proc_watch *watch;
	struct tracker *tracker;
	struct journal *journal;
	const char *trace; /* path of the trace; NULL: none */
	int64_t (*lost)(const char *dir, void **state);
	void **lost_state;
	/* Directory in which the trace grows; merging it later needs the same space again. NULL: none. */
	const char *trace_dir;
	void (*on_tick)(void *data); /* called many times a second; may be NULL */
	bool (*is_over)(void *data); /* without a child: is the wait over? */
	void *data;
	struct manifest *manifest; /* its limits of memory are followed; may be NULL */
	int64_t spared_pid; /* process not to stop: the profiler, which ends with the build; 0: none */
};

/*
 * Wait for the end of `child`. Any other reason of enum run_end stops the build first; without a child (NULL) it ends
 * the wait at once.
 */
enum run_end runner_wait(struct runner *runner, struct child *child, struct err *err);

/* Pass all pending events of the process watch to the tracker and the journal. */
int runner_drain(struct runner *runner, struct err *err);

/* The reason in words, for the user and the manifest; NULL for RUN_END_NORMAL. Static. */
const char *run_end_reason(enum run_end end);

/* Whether a run failed, for this reason, as the recording ended the build. NULL: it did not fail. */
bool run_end_is_reason(const char *reason);

#endif
