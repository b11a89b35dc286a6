/*
 * The plan of a recording, made before anything runs: the profiler, the commands, the paths.
 */
#ifndef RECORD_PLAN_H
#define RECORD_PLAN_H

#include <stdbool.h>

#include "config/config.h"
#include "profiler/finding.h"
#include "profiler/profiler.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct record_plan {
	const struct config *config; /* borrowed */
	const struct profiler_ops *profiler;
	struct profiler_job job; /* dir and build_log point into the plan */
	char *source;            /* the checkout, absolute; NULL: nothing is built */
	char *output;            /* directory for runs, absolute */
	char *stem;              /* <name>-<UTC start> */
	char *run;               /* the stem, with a number appended if it is taken */
	char *dir;       /* the run directory until it is complete: <output>/<run>.partial */
	char *final_dir; /* <output>/<run> */
	char *build_log;
	const char *build; /* what the recorded build is called: "stage 2" or "the command" */
	bool skip_stage1;
	struct strvec stage1, before, stage2; /* argv; empty: not run */
};

/*
 * Make the plan of a configuration; `start_wall_ns` is part of the run's name. Nothing is written. Fails only if no
 * plan can be made (unknown profiler); plan_check() reports all other problems.
 */
typedef int plan_init_fn(struct record_plan *plan, const struct config *config, bool skip_stage1,
			 int64_t start_wall_ns, struct err *err);
plan_init_fn plan_init;

/* The same for a recording of heaps alone ([heap]). ERR_UNSUPPORTED: this system cannot record heaps. */
plan_init_fn plan_init_heap;
void plan_release(struct record_plan *plan);

/*
 * Preflight: add a finding for every problem that would stop or spoil the recording. Sets the fields of the job that
 * depend on the user's rights. With "auto", replaces a profiler that cannot run by the next one.
 */
void plan_check(struct record_plan *plan, struct finding_list *findings);

/* Append the environment variables to add for a stage: those configured, and the build's cookie. */
void plan_environment(const struct config_stage *stage, const char *cookie, struct strvec *env);

/* The value of a variable where stage 2 runs: that of the configuration, else ours. NULL: not set. The caller frees it. */
char *plan_variable(const struct record_plan *plan, const char *name);

/*
 * Give the run the first free name: <name>-<UTC start>, with -2, -3, ... appended if a recording that started in the
 * same second has taken it.
 */
void plan_name_run(struct record_plan *plan);

/* Append all commands in order, as lines to paste into a shell. */
void plan_add_commands(const struct record_plan *plan, struct strbuf *sb);

#endif
