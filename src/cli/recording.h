/*
 * What the commands `record`, `rerun`, `nightly`, `replay`, `heap` and `check` share: a recording, from its configuration
 * to its summary.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/opt.h"
#include "config/config.h"
#include "profiler/finding.h"
#include "record/plan.h"
#include "util/err.h"
#include "util/strvec.h"

/* The values of RECORDING_OPTIONS. */
struct recording_values {
	const char *out;
	struct strvec set;
	bool skip_stage1;
	bool dry_run;
	bool no_bundle;
	bool verbose;
	bool aside; /* no option: the summary goes to stderr, as another result follows */
};

/*
 * Rows of an option table whose group has the offset of struct recording_values as its base; `out_help` follows "directory
 * for runs", `set_help` is the help of --set.
 */
/* clang-format off */
#define RECORDING_OPTIONS(out_help, set_help) \
	{ 'o', "out", OPT_STRING, "DIR", "directory for runs" out_help, \
	  offsetof(struct recording_values, out), NULL }, \
	{ 's', "set", OPT_LIST, "SECTION.KEY=VALUE", \
	  set_help, \
	  offsetof(struct recording_values, set), NULL }, \
	{ 0, "dry-run", OPT_FLAG, NULL, "print the commands that would be run, and stop", \
	  offsetof(struct recording_values, dry_run), NULL }, \
	{ 0, "no-bundle", OPT_FLAG, NULL, "keep the run as a directory, pack no bundle", \
	  offsetof(struct recording_values, no_bundle), NULL }, \
	{ 'v', "verbose", OPT_FLAG, NULL, "show the build's own output too", \
	  offsetof(struct recording_values, verbose), NULL }
/* clang-format on */

/* The options of all commands that record what a configuration describes: those above, and --skip-stage1. */
extern const struct opt recording_options[];

/*
 * Read the configuration from `text`, or if that is NULL from the file `path`, here or among those that came with the
 * program, and apply the changes and --out to it. `out` is relative to the working directory. Mistakes are ERR_CONFIG;
 * ERR_USAGE: the file cannot be read.
 */
int recording_load(const char *path, const char *text, const struct config_changes *changes,
		   const char *out, struct config *config, struct err *err);

/*
 * Remove from the settings of a run that is not our own what is not in the commands that --dry-run shows: which files of
 * this machine the new run gets, where others are made, and who may read it. A note says that there was such.
 */
void recording_drop_strangers(struct config *settings);

/* Print findings, errors last; without `all` only warnings and errors. */
void recording_print_findings(const struct finding_list *findings, bool all, FILE *out);

/*
 * Make the plan with `init`, plan_init() or plan_init_heap(), check it, record, and print the summary; with --dry-run
 * check it and print its commands. Returns an exit code, or -1 with `err` set. The path of the run, which the caller frees,
 * is put into `*run` (may be NULL); NULL: there is none.
 */
int recording_run(const struct config *config, plan_init_fn *init,
		  const struct recording_values *values, char **run, struct err *err);

#endif
