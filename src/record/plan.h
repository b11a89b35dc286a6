/*
 * What a recording will do, worked out before anything is done: the recorder, the commands, the places.
 */
#ifndef RECORD_PLAN_H
#define RECORD_PLAN_H

#include <stdbool.h>

#include "config/config.h"
#include "recorder/finding.h"
#include "recorder/recorder.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct record_plan {
	const struct config *config; /* borrowed */
	const struct recorder_ops *recorder;
	struct recorder_job job; /* dir and build_log point into the plan */
	char *source;            /* the checkout, absolute; NULL: nothing is built */
	char *output;            /* where runs go, absolute; made by plan_init() */
	char *stem;              /* <name>-<UTC start> */
	char *run;               /* the stem, or with a number behind it */
	char *dir;       /* the run directory while it is not whole: <output>/<run>.partial */
	char *final_dir; /* <output>/<run> */
	char *build_log;
	bool skip_stage1;
	struct strvec stage1, before, stage2; /* argv; empty: not run */
};

/*
 * Work out the plan from a configuration; `start_wall_ns` names the run. Nothing is written. What hinders is
 * told by plan_check(), so this fails only where no plan can be made at all (unknown recorder).
 */
int plan_init(struct record_plan *plan, const struct config *config, bool skip_stage1,
	      int64_t start_wall_ns, struct err *err);

/* The same for a recording of heaps alone ([heap]). ERR_UNSUPPORTED where this system can't. */
int plan_init_heap(struct record_plan *plan, const struct config *config, bool skip_stage1,
		   int64_t start_wall_ns, struct err *err);
void plan_release(struct record_plan *plan);

/*
 * Every problem that would stop or spoil the recording (preflight). Lets the recorder set what the rights
 * allow, and falls back to no recorder where "auto" was asked for and the best can't run.
 */
void plan_check(struct record_plan *plan, struct finding_list *findings);

/* The stage's environment on top of ours, with the mark of the build. */
void plan_environment(const struct config_stage *stage, const char *cookie, struct strvec *env);

/* The command that is run for stage 2: under the recorder. */
void plan_recorded_command(const struct record_plan *plan, struct strvec *argv, int *own_execs);

/*
 * Give the run the first name that is free: <name>-<UTC start>, or with -2, -3, ... behind it where another
 * recording took that in the same second.
 */
void plan_name_run(struct record_plan *plan);

/* All commands, in order, fit to paste into a shell. */
void plan_add_commands(const struct record_plan *plan, struct strbuf *sb);

#endif
