#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/recording.h"
#include "platform/clock.h"
#include "record/plan.h"
#include "util/print.h"
#include "util/strvec.h"

struct check_values {
	const char *config;
	const char *out;
	struct strvec set;
	bool skip_stage1;
};

static const struct opt option_rows[] = {
	{ 'o', "out", OPT_STRING, "DIR", "directory for runs, instead of [run] output",
	  offsetof(struct check_values, out), NULL },
	{ 's', "set", OPT_LIST, "SECTION.KEY=VALUE",
	  "override a setting; a path is relative to CONFIG's directory",
	  offsetof(struct check_values, set), NULL },
	{ 0, "skip-stage1", OPT_FLAG, NULL, "stage 1 is built already: check its compiler",
	  offsetof(struct check_values, skip_stage1), NULL },
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "CONFIG",
	  "the recording's configuration: an INI file, or the name of one that is listed below",
	  false, OPT_ONE, offsetof(struct check_values, config) },
	OPT_ARG_END,
};

static int count(const struct finding_list *findings, enum finding_level level)
{
	int n = 0;

	for (size_t i = 0; i < findings->nr; i++)
		n += findings->v[i].level == level;
	return n;
}

static int run_check(const void *data, struct err *err)
{
	const struct check_values *values = data;
	struct finding_list findings = FINDING_LIST_INIT;
	struct config config = CONFIG_INIT;
	struct record_plan plan;
	int errors = 0, rc;

	rc = recording_load(values->config, NULL, &(struct config_changes){ .set = values->set },
			    values->out, &config, err);
	if (!rc)
		rc = plan_init(&plan, &config, values->skip_stage1, clock_wall(), err);
	if (!rc) {
		plan_check(&plan, &findings);
		recording_print_findings(&findings, true, stdout);
		errors = count(&findings, FINDING_ERROR);
		print_textf(stdout, "\n%d error%s, %d warning%s; profiler: %s\n", errors,
			    errors == 1 ? "" : "s", count(&findings, FINDING_WARNING),
			    count(&findings, FINDING_WARNING) == 1 ? "" : "s", plan.profiler->name);
		plan_release(&plan);
	}
	finding_list_release(&findings);
	config_release(&config);
	if (rc)
		return -1;
	return errors ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

const struct command check_command = {
	.name = "check",
	.summary = "find every problem that would stop or spoil a recording",
	.details = "Checks the configuration, the checkout, the commands, the profiler and its "
		   "rights, and the free disk space. Each finding says what was found, why it "
		   "matters and what to do. Nothing is built, and nothing is written but a "
		   "trial recording of a fraction of a second.\n\n"
		   "Exit code 0: a recording can start. 1: it would fail.",
	.syntax = { groups, args, sizeof(struct check_values) },
	.takes_config = true,
	.examples = { { "Can stage 2 of the checkout in ~/rust be recorded, and what would be "
			"missing?",
			"stagetrace check memory.ini --set run.source=$HOME/rust --out runs" },
		      { "The same for CPU time alone",
			"stagetrace check cpu.ini --set run.source=$HOME/rust --out runs" } },
	.run = run_check,
};
