/*
 * Running one command of a recording and waiting for its end, while signals, the clock, the disk and the
 * processes are watched.
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

/* Why a command ended. */
enum run_end {
	RUN_END_ITSELF,
	RUN_END_INTERRUPTED, /* Ctrl-C: the build was stopped */
	RUN_END_ABANDONED,   /* Ctrl-C twice: everything was killed */
	RUN_END_TIMEOUT,
	RUN_END_NO_SPACE, /* the disk is nearly full: the build was stopped while there is room to save */
	RUN_END_DIR_GONE, /* the run directory was removed */
	RUN_END_JOURNAL,  /* the journal could not be written */
};

struct runner {
	const char *what; /* for the status line */
	const char *dir;  /* the run directory */
	const char *cookie;
	const char *build_log; /* followed where `verbose` */
	bool verbose;
	int64_t deadline_ns; /* clock; 0: none */
	int64_t disk_floor;  /* bytes to be left free */
	struct status *status;
	FILE *messages;

	/* With a recorder and a tracker; all NULL in an unrecorded stage. */
	struct proc_watch *watch;
	struct tracker *tracker;
	struct journal *journal;
	const char *trace; /* path of the trace; NULL: none */
	int64_t (*lost)(const char *dir, void **state);
	void **lost_state;
	/* In which the trace grows, and is merged into one as large; NULL: none such. */
	const char *folder;
	int64_t (*written)(const char *folder);
	void (*look)(void *data);    /* called at each turn; NULL: nothing */
	bool (*is_over)(void *data); /* without a child: is there nothing left to wait for? */
	void *data;
	int64_t spare; /* pid of the recorder, which ends by itself when the build does; 0: none */
};

/*
 * Wait for the end of `child`, stopping the build first where something calls for it. NULL: there is none, and
 * whatever calls for it ends the wait.
 */
enum run_end runner_wait(struct runner *runner, struct child *child, struct err *err);

/* Take in all events that the watch has. */
int runner_drain(struct runner *runner, struct err *err);

/* A sentence for the user and the manifest; NULL for RUN_END_ITSELF. Static. */
const char *run_end_reason(enum run_end end);

#endif
