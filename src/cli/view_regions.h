/*
 * `memory --by region`: a row for each range that was committed and freed at once (report/regions_view.h).
 */
#ifndef CLI_VIEW_REGIONS_H
#define CLI_VIEW_REGIONS_H

#include "cli/view_results.h"

/* Run the command. Returns an exit code, or -1. */
int regions_run(const struct account *account, const struct results_values *values,
		struct err *err);

#endif
