#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/result_file.h"
#include "cli/view_processes.h"
#include "cli/view_report.h"
#include "platform/fs.h"
#include "util/text.h"

struct report_values {
	struct view_values view; /* first */
	const char *min_share, *symfs;
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
	{ 'q', "quiet", OPT_FLAG, NULL, "no warnings and notes, errors alone",
	  offsetof(struct view_values, quiet), NULL },
	OPT_END,
};

static const struct opt_group groups[] = { { "Options", option_rows, 0 }, OPT_GROUP_END };

/* In percent. It leaves a page of some megabytes of a stage 2 with a million of stacks. */
#define MIN_SHARE 0.002

static int write_page(const struct view_values *values, const char *path, const struct page *page,
		      struct err *err)
{
	struct result_file file;

	if (result_file_open(&file, path, values->force, false, err))
		return -1;
	return result_file_close(&file, page_write(page, file.out, err), err);
}

static int run_report(const void *data, struct err *err)
{
	const struct report_values *values = data;
	const char *path = values->view.output ? values->view.output : "report.html";
	struct view_report report = { .symfs = values->symfs, .share = MIN_SHARE };
	int rc;

	if (values->view.quiet)
		message_set_quiet();
	if (view_get_min_share(values->min_share, &report.share, err))
		return -1;
	if (values->symfs && !fs_is_dir(values->symfs))
		return err_set(err, ERR_USAGE, "--symfs takes a directory, not '%s'",
			       values->symfs);
	if (result_file_check(path, values->view.force, &values->view.traces, err))
		return -1;
	rc = view_report_open(&values->view.traces, &report, err);
	if (!rc) {
		rc = write_page(&values->view, path, &report.page, err);
		view_report_close(&report);
	}
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
		   "and its tables can be read without JavaScript.",
	.syntax = { groups, view_args, sizeof(struct report_values) },
	.examples = { { "A page to look at, or to mail", "stagetrace report run" },
		      { "Every stack, however small",
			"stagetrace report run --min-share 0 -o whole.html" } },
	.run = run_report,
};
