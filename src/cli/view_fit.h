/*
 * `memory --fit SIZE` and `memory --jobs N`: which -j would have stayed below a size, and what to expect of one
 * (docs/fit.md).
 */
#ifndef CLI_VIEW_FIT_H
#define CLI_VIEW_FIT_H

#include "cli/opt.h"
#include "cli/view_results.h"

struct fit_values {
	const char *size;   /* --fit; NULL: not given */
	int64_t jobs, cpus; /* 0: not given */
};

extern const struct opt fit_options[];

/* Whether the options ask for it. */
bool fit_is_wanted(const struct fit_values *fit);

/* Run the command. Returns an exit code, or -1. */
int fit_run(const struct results_values *values, const struct fit_values *fit, struct err *err);

#endif
