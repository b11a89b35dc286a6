#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare_sides.h"
#include "cli/message.h"
#include "cli/report_pair.h"
#include "cli/result_file.h"
#include "cli/view_processes.h"
#include "cli/view_report.h"
#include "platform/fs.h"
#include "util/text.h"

struct report_values {
	struct view_values view; /* first; its traces are those before "--" */
	struct strvec new;       /* those after it */
	const char *min_share, *symfs, *db;
};

static const struct opt option_rows[] = {
	{ 'o', "output", OPT_STRING, "FILE", "where to write; by default report.html",
	  offsetof(struct view_values, output), NULL },
	RESULT_FORCE_OPTION(struct view_values, force),
	{ 0, "min-share", OPT_STRING, "PERCENT",
	  "stacks with less than this share of the whole become one frame [other] of their "
	  "caller; by default 0.002",
	  offsetof(struct report_values, min_share), NULL },
	{ 0, "symfs", OPT_STRING, "DIR",
	  "look for the programs and libraries of a Linux trace below DIR first",
	  offsetof(struct report_values, symfs), NULL },
	COMPARE_DB_OPTION(offsetof(struct report_values, db), "of two runs, BASE NEW"),
	QUIET_OPTION(offsetof(struct view_values, quiet)),
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "TRACE",
	  "a run directory, a bundle, a bare perf.data file, or the bare .etl files of one "
	  "recording; of two runs, BASE NEW, what changed",
	  false, OPT_MANY, offsetof(struct view_values, traces) },
	{ "NEW", "runs to compare with those before them, of which there may be several too", true,
	  OPT_THEN, offsetof(struct report_values, new) },
	OPT_ARG_END,
};

/* In percent. It leaves a page of some megabytes of a stage 2 with a million of stacks. */
#define MIN_SHARE 0.002

static const char *page_ending(size_t i)
{
	(void)i;
	return ".html";
}

static const char *const page_names[] = { "html", NULL };
static const struct opt_choices pages = { .words = page_names, .ending = page_ending };

static int write_page(const struct view_values *values, const char *path, const struct page *page,
		      struct err *err)
{
	struct result_file file;

	if (result_file_open(&file, path, values->force, false, err))
		return -1;
	return result_file_close(&file, page_write(page, file.out, err), err);
}

static int write_pair(const struct report_values *values, const char *path, struct err *err)
{
	struct report_pair *pair;
	struct result_file file;
	int rc = report_pair_open(&values->view.traces, &values->new, values->db, &pair, err);

	if (!rc)
		rc = result_file_open(&file, path, values->view.force, false, err);
	if (!rc) {
		report_pair_write(pair, file.out);
		rc = result_file_close(&file, 0, err);
	}
	report_pair_free(pair);
	return rc;
}

static int write_run(const struct report_values *values, const char *path,
		     struct view_report *report, struct err *err)
{
	int rc;

	if (view_report_open(&values->view.traces, report, err))
		return -1;
	rc = write_page(&values->view, path, &report->page, err);
	view_report_close(report);
	return rc;
}

/* Options that change what the page of one run, or of two, has. */
static int check_kind(const struct report_values *values, bool pair, struct err *err)
{
	if (pair && (values->min_share || values->symfs))
		return err_set(err, ERR_USAGE,
			       "--min-share and --symfs are for a report of one run");
	if (!pair && values->db)
		return err_set(err, ERR_USAGE, "--db is for a report of two runs");
	return 0;
}

static int run_report(const void *data, struct err *err)
{
	const struct report_values *values = data;
	const char *path = values->view.output ? values->view.output : "report.html";
	struct view_report report = { .symfs = values->symfs, .share = MIN_SHARE };
	bool pair = report_is_pair(&values->view.traces, &values->new);
	int rc;

	if (values->view.quiet)
		message_set_quiet();
	if (view_get_min_share(values->min_share, &report.share, err))
		return -1;
	if (values->symfs && !fs_is_dir(values->symfs))
		return err_set(err, ERR_USAGE, "--symfs takes a directory, not '%s'",
			       values->symfs);
	if (result_file_check_option(values->view.output, &values->view.traces, &pages, err) ||
	    result_file_check(path, values->view.force, &values->view.traces, err))
		return -1;
	if (check_kind(values, pair, err))
		return -1;
	rc = pair ? write_pair(values, path, err) : write_run(values, path, &report, err);
	if (rc)
		return -1;
	if (!values->view.output)
		message_printf("note: ", "the report is %s", path);
	return EXIT_CODE_DONE;
}

const struct command report_command = {
	.name = "report",
	.summary = "write a report for a browser: one file that needs nothing else",
	.details = "The page shows the processes of the build over time, and the CPU time and the "
		   "memory of a range of it that is selected there. It opens without a network, "
		   "and its tables can be read without JavaScript. It has the command lines and "
		   "paths of the run: to give it to others, make it of a scrubbed bundle.",
	.syntax = { groups, args, sizeof(struct report_values) },
	.examples = { { "A page to look at, or to mail", "stagetrace report run" },
		      { "Every stack, however small",
			"stagetrace report run --min-share 0 -o whole.html" },
		      { "What grew between two runs", "stagetrace report run run -o grown.html" } },
	.run = run_report,
};
