/*
 * A recording on the command line, from its plan to its summary: what `record` and `heap` share.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/opt.h"
#include "record/plan.h"
#include "util/err.h"
#include "util/strvec.h"

struct recording_values {
	const char *out;
	struct strvec set;
	bool skip_stage1;
	bool dry_run;
	bool no_bundle;
	bool verbose;
};

/* The rows of their group, whose base is where the struct lies; what --set is good for is each command's own. */
/* clang-format off */
#define RECORDING_OPTIONS(set_help) \
	{ 'o', "out", OPT_STRING, "DIR", "where runs go, instead of [run] output", \
	  offsetof(struct recording_values, out), NULL }, \
	{ 's', "set", OPT_LIST, "SECTION.KEY=VALUE", set_help, \
	  offsetof(struct recording_values, set), NULL }, \
	{ 0, "skip-stage1", OPT_FLAG, NULL, "stage 1 is built already", \
	  offsetof(struct recording_values, skip_stage1), NULL }, \
	{ 0, "dry-run", OPT_FLAG, NULL, "print the commands that would be run, and stop", \
	  offsetof(struct recording_values, dry_run), NULL }, \
	{ 0, "no-bundle", OPT_FLAG, NULL, "leave the run a directory, make no zip of it", \
	  offsetof(struct recording_values, no_bundle), NULL }, \
	{ 'v', "verbose", OPT_FLAG, NULL, "show the build's own output too", \
	  offsetof(struct recording_values, verbose), NULL }
/* clang-format on */

/* Look for problems, then record and print the summary, as `values` say beyond the plan. An exit code, or -1. */
int recording_run(struct record_plan *plan, const struct recording_values *values, struct err *err);

#endif
