/*
 * Completes a recording that was interrupted by kill -9, a crash or a full disk.
 */
#ifndef RECORD_RECOVER_H
#define RECORD_RECOVER_H

#include <stdio.h>

#include "record/collect.h"
#include "util/err.h"

/*
 * Recover the run at `dir` (with or without ".partial"): end the remaining processes of its build, restore system
 * settings, save the trace, rebuild the list of processes from the journal, give the run its final name. Progress goes to
 * `messages`. A complete run is no error. `keep`: see collect_symbols(). The caller frees `*run_dir`.
 *
 * What reading the run may cost is limited (platform/cost.h), for the rest of this process. A run that exceeds it stays
 * unfinished, with all its files, and can be recovered with higher limits.
 */
int recover_run(const char *dir, FILE *messages, collect_symbols_fn *keep, char **run_dir,
		struct err *err);

/* The first command of an interrupted recording's profiler that still runs; NULL: none. */
const struct manifest_command *recover_living_command(const struct manifest *manifest);

#endif
