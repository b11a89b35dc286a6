#include <stdbool.h>

#include "cli/command.h"
#include "cli/findings.h"
#include "cli/recording.h"
#include "platform/clock.h"
#include "record/plan.h"
#include "util/strvec.h"

struct record_values {
	const char *config;
	const char *out;
	struct strvec set;
	bool skip_stage1;
	bool dry_run;
	bool no_bundle;
	bool verbose;
};

static const struct opt option_rows[] = {
	{ 'o', "out", OPT_STRING, "DIR", "where runs go, instead of [run] output",
	  offsetof(struct record_values, out), NULL },
	{ 's', "set", OPT_LIST, "SECTION.KEY=VALUE", "override a setting",
	  offsetof(struct record_values, set), NULL },
	{ 0, "skip-stage1", OPT_FLAG, NULL, "stage 1 is built already",
	  offsetof(struct record_values, skip_stage1), NULL },
	{ 0, "dry-run", OPT_FLAG, NULL, "print the commands that would be run, and stop",
	  offsetof(struct record_values, dry_run), NULL },
	{ 0, "no-bundle", OPT_FLAG, NULL, "leave the run a directory, make no zip of it",
	  offsetof(struct record_values, no_bundle), NULL },
	{ 'v', "verbose", OPT_FLAG, NULL, "show the build's own output too",
	  offsetof(struct record_values, verbose), NULL },
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "CONFIG", "the recording's configuration, an INI file", false, false,
	  offsetof(struct record_values, config) },
	OPT_ARG_END,
};

static int run_record(const void *data, struct err *err)
{
	const struct record_values *values = data;
	struct config config = CONFIG_INIT;
	const struct recording_wishes wishes = {
		.dry_run = values->dry_run,
		.no_bundle = values->no_bundle,
		.verbose = values->verbose,
	};
	struct record_plan plan;
	int rc;

	rc = findings_load_config(values->config, &values->set, values->out, &config, err);
	if (!rc)
		rc = plan_init(&plan, &config, values->skip_stage1, clock_wall(), err);
	if (!rc) {
		rc = recording_run(&plan, &wishes, err);
		plan_release(&plan);
	}
	config_release(&config);
	return rc;
}

const struct command record_command = {
	.name = "record",
	.summary = "build stage 1, record the build of stage 2, tag and bundle it",
	.details = "Looks for problems first, as `check` does, and starts nothing where one would "
		   "stop it. "
		   "Ctrl-C stops the build and saves what was recorded; a second one abandons it "
		   "at once. A run "
		   "keeps the suffix .partial until it is whole: `recover` finishes one that was "
		   "killed.\n\n"
		   "The summary goes to stdout, all else to stderr. Exit code 1 where a stage "
		   "failed; the run is "
		   "kept then, marked failed.",
	.syntax = { groups, args, sizeof(struct record_values) },
	.run = run_record,
};
