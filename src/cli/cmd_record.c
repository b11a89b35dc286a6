#include <stdbool.h>

#include "cli/command.h"
#include "cli/recording.h"
#include "record/plan.h"

struct record_values {
	const char *config;
	struct recording_values recording;
};

static const struct opt option_rows[] = {
	RECORDING_OPTIONS("override a setting"),
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, offsetof(struct record_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "CONFIG",
	  "the recording's configuration: an INI file, or the name of one that is listed below",
	  false, false, offsetof(struct record_values, config) },
	OPT_ARG_END,
};

static int run_record(const void *data, struct err *err)
{
	const struct record_values *values = data;
	struct config config = CONFIG_INIT;
	int rc = recording_load(values->config, NULL, &values->recording.set, values->recording.out,
				&config, err);

	if (!rc)
		rc = recording_run(&config, plan_init, &values->recording, err);
	config_release(&config);
	return rc;
}

const struct command record_command = {
	.name = "record",
	.summary = "build stage 1, record the build of stage 2, tag and bundle it",
	.details = "Checks first, as `check` does, and starts nothing if the recording would "
		   "fail. Ctrl-C stops the build and saves what was recorded; a second Ctrl-C "
		   "abandons the recording. A run keeps the suffix .partial until it is complete: "
		   "`recover` finishes one that was killed.\n\n"
		   "The summary goes to stdout, everything else to stderr. The exit code is 1 "
		   "if the recording failed or was stopped; a run that was begun is kept and "
		   "marked failed.",
	.syntax = { groups, args, sizeof(struct record_values) },
	.takes_config = true,
	.examples = { { "Record stage 2 of the checkout in ~/rust",
			"stagetrace record memory.ini --set run.source=$HOME/rust --out runs" },
		      { "Only print the commands that it would run",
			"stagetrace record memory.ini --set run.source=$HOME/rust --dry-run" } },
	.run = run_record,
};
