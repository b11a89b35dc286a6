#include <stdbool.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/gates.h"
#include "cli/recording.h"
#include "platform/fs.h"
#include "record/plan.h"

struct record_values {
	const char *config;
	struct strvec command;
	struct recording_values recording;
	struct strvec fail_if;
};

static const struct opt gate_rows[] = {
	FAIL_IF_OPTION(offsetof(struct record_values, fail_if),
		       ", as 'peak > 4GB' or 'crate:rustc_middle.own-peak > 1.2GiB'; may be given "
		       "several times. What does not answer it, a build that fails among others, "
		       "has exit code 125, as `git bisect run` expects it"),
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Options", recording_options, offsetof(struct record_values, recording) },
	{ "Gates", gate_rows, 0 },
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

/* Read the run of a recording that is done, and evaluate its gates. Returns an exit code, or -1. */
static int judge(struct gate_specs *gates, char *run, struct err *err)
{
	struct compare_spec *specs[GATE_KEYS];
	const struct compare_request request = { specs, gate_specs_add(gates, specs), NULL, NULL,
						 false };
	struct strvec none = STRVEC_INIT, paths = STRVEC_INIT;
	struct compare_reading reading;
	const struct compare_runs runs = { { &none, &paths }, { NULL, &reading } };
	struct compare_gate *judged;
	int rc;

	strvec_push(&paths, run);
	rc = compare_run_read(run, SIDE_NEW, &request, &reading, err);
	if (!rc) {
		judged = gates_evaluate(gates, &runs);
		rc = gates_say(judged, gates->gates.nr, &runs, NULL);
		free(judged);
	}
	compare_reading_release(&reading);
	strvec_release(&paths);
	return rc;
}

/* Under a gate all that does not answer it is undecided, but a mistake of the user. */
static int record_with_gates(const struct config *config, const struct record_values *values,
			     struct gate_specs *gates, struct err *err)
{
	char *run = NULL;
	int rc = recording_run(config, plan_init, &values->recording, &run, err);

	if (!rc && run)
		rc = judge(gates, run, err);
	else if (rc > 0)
		rc = EXIT_CODE_UNDECIDED;
	if (rc < 0)
		rc = gates_failed(gates->gates.nr, err);
	free(run);
	return rc;
}

static int run_record(const void *data, struct err *err)
{
	const struct record_values *values = data;
	struct config config = CONFIG_INIT;
	struct gate_specs gates;
	int rc = gate_specs_init(&gates, &values->fail_if, false, err);

	if (!rc)
		rc = load(values, &config, err);
	if (!rc && values->fail_if.nr)
		rc = record_with_gates(&config, values, &gates, err);
	else if (!rc)
		rc = recording_run(&config, plan_init, &values->recording, NULL, err);
	gate_specs_release(&gates);
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
		   "marked failed. With --fail-if it is 3 if a gate tripped, and 125 if one "
		   "could not be decided.",
	.syntax = { groups, args, sizeof(struct record_values) },
	.takes_config = true,
	.examples = { { "Record stage 2 of the checkout in ~/rust",
			"stagetrace record memory.ini --set run.source=$HOME/rust --out runs" },
		      { "Record a build by cargo in this directory, with the settings of cpu.ini",
			"stagetrace record cpu.ini -- cargo build --release" } },
	.run = run_record,
};
