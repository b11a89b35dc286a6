/*
 * Finishing, or cleanly abandoning, a recording that was interrupted: by kill -9, a crash, a full disk.
 */
#ifndef RECORD_RECOVER_H
#define RECORD_RECOVER_H

#include <stdio.h>

#include "record/collect.h"
#include "util/err.h"

/*
 * Recover the run at `dir` (with or without ".partial"): end what is left of its build, put system settings
 * back, put its processes together from the journal, close the run under its final name. What was done is
 * told on `messages`. A run that is whole already is no error. `keep`: see collect_symbols(). `*run_dir` is the
 * caller's to free.
 */
int recover_run(const char *dir, FILE *messages, collect_symbols_fn *keep, char **run_dir,
		struct err *err);

#endif
