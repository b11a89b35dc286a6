/*
 * A recording on the command line, from its plan to its summary: what `record` and `heap` share.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>

#include "record/plan.h"
#include "util/err.h"

struct recording_wishes {
	bool dry_run; /* print the commands, and stop */
	bool no_bundle;
	bool verbose;
};

/* Look for problems, then record and print the summary. An exit code, or -1. */
int recording_run(struct record_plan *plan, const struct recording_wishes *wishes, struct err *err);

#endif
