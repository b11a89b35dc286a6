/*
 * One recording from its first step to its last: prepared, stage1, starting, recording, stopping, collecting,
 * done or failed. The manifest is written before each step with side effects, so that a recording that was
 * killed in any of them can be recovered.
 */
#ifndef RECORD_SESSION_H
#define RECORD_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "model/process.h"
#include "platform/guard.h"
#include "record/collect.h"
#include "record/plan.h"
#include "record/status.h"
#include "record/tracker.h"
#include "rundir/journal.h"
#include "rundir/manifest.h"
#include "util/err.h"

struct session_options {
	bool bundle;
	bool verbose;                     /* the build's own output goes to `messages` as well */
	FILE *messages;                   /* progress: stderr */
	collect_symbols_fn *keep_symbols; /* NULL: not wanted */
};

/*
 * Record by the plan. 0: the run is whole and its state is done. -1: `err` says what failed; the run, where one
 * was begun, is kept (state failed, or ".partial" for `recover` where it could not be finished).
 * `*run_dir` is where it is (NULL: nothing was begun), `*bundle` the bundle (NULL: none); the caller frees both.
 */
int session_run(struct record_plan *plan, const struct session_options *options, char **run_dir,
		char **bundle, struct err *err);

#endif
