/*
 * The view `--by calls` of `cpu` and `memory`: a call tree.
 */
#ifndef CLI_VIEW_CALLS_H
#define CLI_VIEW_CALLS_H

#include "cli/opt.h"
#include "cli/view_results.h"

extern const struct opt calls_options[];

/* Its options, for the syntax of a command whose values begin with a struct results_values. */
#define CALLS_GROUP \
	{ \
		"Call trees (--by calls)", calls_options, 0 \
	}

/* Run a command that shows an account, as a call tree or as a table. Returns an exit code, or -1. */
int calls_or_results_run(const struct account *account, const struct results_values *values,
			 struct err *err);

#endif
