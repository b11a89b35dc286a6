#include "cli/recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/exit_code.h"
#include "cli/findings.h"
#include "cli/message.h"
#include "record/session.h"
#include "record/summary.h"
#include "replay/keep_symbols.h"

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

int recording_run(struct record_plan *plan, const struct recording_values *values, struct err *err)
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
