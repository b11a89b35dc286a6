#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "record/recover.h"
#include "replay/keep_symbols.h"
#include "util/print.h"

struct recover_values {
	const char *run;
};

static const struct opt_group groups[] = { OPT_GROUP_END };

static const struct opt_arg args[] = {
	{ "RUN", "a run directory, usually with the suffix .partial", false, OPT_ONE,
	  offsetof(struct recover_values, run) },
	OPT_ARG_END,
};

static int run_recover(const void *data, struct err *err)
{
	const struct recover_values *values = data;
	struct strbuf text = STRBUF_INIT;
	char *run_dir = NULL;
	int rc = recover_run(values->run, stderr, keep_symbols, &run_dir, err);

	if (!rc)
		rc = summary_add(run_dir, NULL, &text, err);
	print_text(stdout, text.buf);
	strbuf_release(&text);
	free(run_dir);
	return rc ? -1 : EXIT_CODE_DONE;
}

const struct command recover_command = {
	.name = "recover",
	.summary = "finish, or cleanly abandon, a recording that was interrupted",
	.details = "Ends what is left of the build, restores system settings, makes the list of "
		   "processes from the journal, and gives the run its final name. The run is "
		   "marked failed if the build had not ended. Repeating it does no harm.",
	.syntax = { groups, args, sizeof(struct recover_values) },
	.examples = { { "Finish a recording that was killed",
			"stagetrace recover runs/killed.partial" },
		      { "Finish all that were interrupted",
			"for run in runs/*.partial; do stagetrace recover \"$run\"; done" } },
	.run = run_recover,
};
