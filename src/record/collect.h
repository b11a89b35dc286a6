/*
 * From what a recording has left in its directory to a whole run: processes put together, losses counted,
 * files listed with their hashes, the directory under its final name. Shared by the end of a recording
 * and by `recover`.
 */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include <stdio.h>

#include "model/process.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Write processes.jsonl and drop the journal. */
int collect_processes(const struct process_list *list, const char *dir, struct err *err);

/*
 * Keeps the names of all that the trace in `dir` has, while the binaries are there (replay/keep_symbols.h,
 * which recording knows nothing of). Lines for the user go to `notes`, those that every later reader of the
 * run must know to `warnings`, and how many events the trace has lost to `lost`, -1 where that is not known.
 */
typedef int collect_symbols_fn(const char *dir, struct strbuf *notes, struct strvec *warnings,
			       int64_t *lost, struct err *err);

/*
 * Have `keep` (NULL: nothing is kept) do it; what it says goes to `messages`. A failure is a warning. The manifest
 * gets the number of lost events that the trace tells, where that is more than was seen while it was written; where
 * there are any, a warning, or of a recorder that is a service the reason why the run has failed.
 */
void collect_symbols(collect_symbols_fn *keep, struct manifest *manifest, const char *dir,
		     FILE *messages);

/*
 * Last step: files listed, manifest written with `state`, `dir` renamed to `final_dir`. A run that is
 * already there under the final name is an error.
 */
int collect_finish(struct manifest *manifest, enum run_state state, const char *dir,
		   const char *final_dir, struct err *err);

#endif
