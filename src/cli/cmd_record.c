#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/findings.h"
#include "cli/message.h"
#include "platform/clock.h"
#include "record/plan.h"
#include "record/session.h"
#include "record/summary.h"
#include "replay/keep_symbols.h"
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

static void print_commands(const struct record_plan *plan)
{
	struct strbuf text = STRBUF_INIT;

	plan_add_commands(plan, &text);
	fputs(text.buf, stdout);
	strbuf_release(&text);
}

static void print_summary(const char *run_dir, const char *bundle)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (summary_add(run_dir, bundle, &text, &err))
		message_print("warning: ", err.msg);
	fputs(text.buf, stdout);
	fflush(stdout);
	err_clear(&err);
	strbuf_release(&text);
}

static int record(const struct record_values *values, struct record_plan *plan, struct err *err)
{
	struct session_options options = {
		.bundle = !values->no_bundle,
		.verbose = values->verbose,
		.messages = stderr,
		.keep_symbols = keep_symbols,
	};
	struct finding_list findings = FINDING_LIST_INIT;
	char *run_dir = NULL, *bundle = NULL;
	int rc;

	plan_check(plan, &findings);
	findings_print(&findings, false, stderr);
	if (values->dry_run) {
		print_commands(plan);
		rc = EXIT_CODE_DONE;
	} else if (finding_has(&findings, FINDING_ERROR)) {
		rc = err_set(err, ERR_FAILED, "nothing was started: see the errors above");
	} else {
		rc = session_run(plan, &options, &run_dir, &bundle, err);
		if (run_dir)
			print_summary(run_dir, bundle);
	}
	finding_list_release(&findings);
	free(run_dir);
	free(bundle);
	return rc;
}

static int run_record(const void *data, struct err *err)
{
	const struct record_values *values = data;
	struct config config = CONFIG_INIT;
	struct record_plan plan;
	int rc;

	rc = findings_load_config(values->config, &values->set, values->out, &config, err);
	if (!rc)
		rc = plan_init(&plan, &config, values->skip_stage1, clock_wall(), err);
	if (!rc) {
		rc = record(values, &plan, err);
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
