/*
 * From what a recording has left in its directory to a whole run: processes put together, losses counted,
 * files listed with their hashes, the directory under its final name. Shared by the end of a recording
 * and by `recover`.
 */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include "model/process.h"
#include "rundir/manifest.h"
#include "util/err.h"

/* Write processes.jsonl and drop the journal. */
int collect_processes(const struct process_list *list, const char *dir, struct err *err);

/*
 * Last step: files listed, manifest written with `state`, `dir` renamed to `final_dir`. A run that is
 * already there under the final name is an error.
 */
int collect_finish(struct manifest *manifest, enum run_state state, const char *dir,
		   const char *final_dir, struct err *err);

#endif
