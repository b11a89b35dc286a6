/*
 * Reads a run for the history: by the accounts that compare reads (cli/compare_run.h), its memory in one play of the trace,
 * its CPU time in another one.
 */
#ifndef CLI_HISTORY_RUN_H
#define CLI_HISTORY_RUN_H

#include "history/history.h"
#include "util/err.h"

/* Functions are kept of crates whose own peak is above this, and of each so many, those with the highest own peaks. */
#define HISTORY_FUNCTIONS_BYTES (INT64_C(64) << 20)
#define HISTORY_FUNCTIONS       50

struct history_reading {
	struct history_run run;
	struct history_row *rows;
	size_t nr, alloc;
};

/* Facts about a run, without its results. Release the reading in any case. ERR_UNSUPPORTED: it is no run, or not whole. */
int history_run_read_facts(const char *path, struct history_reading *reading, struct err *err);

/* Its results. */
int history_run_read(const char *path, struct history_reading *reading, struct err *err);
void history_reading_release(struct history_reading *reading);

#endif
