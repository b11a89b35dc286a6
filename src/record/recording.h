/*
 * Runs one recording through its states: prepared, stage1, starting, recording, stopping, collecting, done or failed.
 * The manifest is written before each step with side effects, so a recording that is killed at any point can be
 * recovered.
 */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platform/fs.h"
#include "platform/guard.h"
#include "record/collect.h"
#include "record/plan.h"
#include "record/runner.h"
#include "record/status.h"
#include "rundir/bundle.h"
#include "rundir/manifest.h"
#include "util/err.h"

/* Packs a complete run: replay/share_run.h, which record/ may not include. */
typedef int pack_run_fn(const char *dir, const char *path, const struct bundle_options *options,
			struct err *err);

struct record_options {
	bool bundle;
	bool verbose;                     /* also copy the build's output to `messages` */
	FILE *messages;                   /* progress: stderr */
	collect_symbols_fn *keep_symbols; /* NULL: keep no names */
	pack_run_fn *pack;                /* NULL: the run is packed as it is */
};

/*
 * Record as planned. 0: the run is complete and its state is done. -1: `err` says what failed; a run that was begun is
 * kept (state failed, or ".partial" for `recover` if it could not be finished). `*run_dir` is its path (NULL: nothing
 * was begun), `*bundle` that of the bundle (NULL: none); the caller frees both.
 */
int record_run(struct record_plan *plan, const struct record_options *options, char **run_dir,
	       char **bundle, struct err *err);

/* Internal: shared by recording.c and stage2.c only. */

struct recording {
	struct record_plan *plan;
	const struct record_options *options;
	struct manifest manifest;
	struct status status;
	struct guard *guard;
	int64_t deadline_ns;  /* clock; 0: none */
	bool begun;           /* the run directory exists */
	bool restored;        /* all changed system settings are restored */
	bool not_started;     /* the profiler failed to start and left nothing to recover */
	bool stopped;         /* recording_note_end() */
	struct fs_lock *lock; /* of the run directory; keeps `recover` out */
};

/* Write the manifest with this state. */
int recording_write_state(struct recording *recording, enum run_state state, struct err *err);

/* A runner with the fields set that all commands share. `build_log` is borrowed. */
struct runner recording_runner(struct recording *recording, const char *what,
			       const char *build_log);

/* Add a command to the manifest before it runs; the result is valid until the next is added. */
struct manifest_command *recording_note_command(struct recording *recording, const char *what,
						const struct strvec *argv,
						const struct config_stage *stage);

/* Print which command failed, and the end of its log, which says why. */
void recording_show_failure(const struct recording *recording, const struct strvec *command,
			    const char *log);

/* Note how a command ended: what the user, or a full disk, has stopped is not bundled. */
void recording_note_end(struct recording *recording, enum run_end end);

/* End the build's processes that still run shortly after its end, with a warning that names them. */
void recording_end_leftovers(struct recording *recording);

/*
 * Run stage 2 under the profiler; track and tag its processes (stage2.c). A build that fails or is stopped is no error
 * here: the run is marked failed, and everything recorded is kept. -1: the run cannot be finished now.
 */
int recording_run_stage2(struct recording *recording, struct err *err);

#endif
