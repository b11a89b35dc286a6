#include <stdbool.h>

#include "cli/command.h"
#include "cli/recording.h"
#include "platform/fs.h"
#include "record/plan.h"

struct record_values {
	const char *config;
	struct strvec command;
	struct recording_values recording;
};

static const struct opt option_rows[] = {
	RECORDING_OPTIONS(", instead of [run] output",
			  "override a setting; a path is relative to CONFIG's directory"),
	SKIP_STAGE1_OPTION,
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", option_rows, offsetof(struct record_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "CONFIG",
	  "the recording's configuration: an INI file, or the name of one that is listed below",
	  true, OPT_ONE, offsetof(struct record_values, config) },
	{ "COMMAND",
	  "a program and its arguments: recorded in the current directory, instead of the "
	  "bootstrap of CONFIG; without CONFIG, with the default settings",
	  true, OPT_AFTER, offsetof(struct record_values, command) },
	OPT_ARG_END,
};

/* Without CONFIG the run has the name of the program, and is in the directory `runs` here. */
static int load(const struct record_values *values, struct config *config, struct err *err)
{
	const struct config_changes changes = { values->recording.set, values->command };
	const char *path = values->config;

	if (!path && !values->command.nr)
		return err_set(err, ERR_USAGE,
			       "no CONFIG given, and no command, as in 'stagetrace record -- cargo "
			       "build'");
	if (values->command.nr && !*values->command.v[0])
		return err_set(err, ERR_USAGE, "the command's first word is empty");
	if (values->command.nr && values->recording.skip_stage1)
		return err_set(err, ERR_USAGE, "--skip-stage1 has no meaning with a command");
	return recording_load(path ? path : fs_file_name(values->command.v[0]), path ? NULL : "",
			      &changes, values->recording.out, config, err);
}

static int run_record(const void *data, struct err *err)
{
	const struct record_values *values = data;
	struct config config = CONFIG_INIT;
	int rc = load(values, &config, err);

	if (!rc)
		rc = recording_run(&config, plan_init, &values->recording, NULL, err);
	config_release(&config);
	return rc;
}

const struct command record_command = {
	.name = "record",
	.summary = "build stage 1, record the build of stage 2, tag and bundle it",
	.details = "With a CONFIG it records a bootstrap of rustc, or what its [stage2] command "
		   "runs; after -- any command, such as one compiler or a build by cargo.\n\n"
		   "Checks first, as `check` does, and starts nothing if the recording would "
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
		      { "Record a build by cargo in this directory, with the settings of cpu.ini",
			"stagetrace record cpu.ini -- cargo build --release" } },
	.run = run_record,
};
