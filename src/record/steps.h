/*
 * What the steps of one recording share; of no use outside record/.
 */
#ifndef RECORD_STEPS_H
#define RECORD_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/fs.h"
#include "platform/guard.h"
#include "record/plan.h"
#include "record/runner.h"
#include "record/session.h"
#include "record/status.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/printf_like.h"

struct session {
	struct record_plan *plan;
	const struct session_options *options;
	struct manifest manifest;
	struct status status;
	struct guard *guard;
	int64_t deadline_ns; /* clock; 0: none */
	bool begun;          /* the run directory is there */
	bool put_back;       /* no setting of the system is still changed */
	bool not_started; /* the recorder would not, and nothing of it is left: there is nothing to recover */
	struct fs_lock *lock; /* on it: `recover` keeps its hands off */
};

/* Write the manifest with this state. */
int steps_write_state(struct session *session, enum run_state state, struct err *err);

/* Tell the user and keep it in the manifest. */
void steps_warn(struct session *session, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Mark the run failed; the first reason stays. */
void steps_fail(struct session *session, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A runner with all that is the same for each command. `build_log` is borrowed. */
struct runner steps_runner(struct session *session, const char *what, const char *build_log);

/* Put a command into the manifest before it is run; good until the next one. */
struct manifest_command *steps_note_command(struct session *session, const char *what,
					    const struct strvec *argv,
					    const struct config_stage *stage);

/* Show the end of a log to the user, who wants to know why it failed. */
void steps_show_log(const struct session *session, const char *path);

/* Nothing of the build may stay behind: what outlives it (but for a moment) is named, and ended. */
void steps_end_leftovers(struct session *session);

/* A command that is not recorded: stage 1, or what comes before stage 2. */
struct unrecorded {
	const char *name;  /* in the manifest */
	const char *title; /* for people */
	const struct strvec *argv;
	const struct config_stage *stage; /* its environment */
	const char *log_name;
};

/* Run it to its end; a failure of it is an error. */
int steps_run_unrecorded(struct session *session, const struct unrecorded *command,
			 struct err *err);

/*
 * Run stage 2 under the recorder, track and tag it. A build that failed or was stopped is no error here: the
 * run is marked failed, and all that was recorded is there. -1 where the run can't be finished now.
 */
int steps_record_stage2(struct session *session, struct err *err);

#endif
