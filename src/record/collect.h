/*
 * The last steps of a recording, which turn its directory into a complete run: write the list of processes, report
 * lost events, list the files with their hashes, give the final name. Also used by `recover`. What a recording prints at
 * its end is in summary.c.
 */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "model/process.h"
#include "record/status.h"
#include "rundir/keep_options.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Write processes.jsonl, of at most `limit` bytes, and remove the journal. */
int collect_processes(const struct process_list *list, const char *dir, uint64_t limit,
		      struct err *err);

/*
 * Saves the names of the functions in the trace of run `dir` while the binaries exist (replay/keep_symbols.h, which
 * record/ may not include), and removes the stack copies from the trace; with `copies` the original is kept too.
 * Appends lines for the user to `notes`, and adds warnings to the manifest of the run. `*lost` is the number of lost events
 * in the trace, -1: unknown. `*distilled`: the trace has no stack copies.
 */
typedef int collect_symbols_fn(const char *dir, const struct keep_options *options,
			       const struct progress *progress, struct strbuf *notes,
			       struct manifest *manifest, int64_t *lost, bool *distilled,
			       struct err *err);

/*
 * Call `keep` (NULL: keep nothing), return whether it says `*distilled`, and show its steps and notes by `status`; a
 * failure becomes a warning. If the trace has more lost events than were counted while recording, the manifest gets the
 * higher number. Lost events are a warning; with a service profiler they mark the run as failed.
 */
bool collect_symbols(collect_symbols_fn *keep, struct status *status, struct manifest *manifest,
		     const char *dir);

/* Read the configuration of the run at `dir`. On failure the empty one; release it in either case. */
int collect_config(const char *dir, struct config *config, struct err *err);

/*
 * Does `place` of a manifest name the directory with the fs_identity() `here`? In runs of earlier versions it has no
 * time of birth.
 */
bool collect_is_same_place(const char *here, const char *place);

/* Was the run recorded by this user (or for the one who called sudo) in this directory? It may have another name since. */
bool collect_was_recorded_here(const struct manifest *manifest, const char *dir);

/*
 * The same, and nobody else can have changed what it says is to be run: for programs that are started because of it. Runs
 * of versions that did not note when their directory was made are not known to be.
 */
bool collect_is_our_own(const struct manifest *manifest, const char *dir);

/*
 * [bundle] mode in the configuration of the run at `dir`. 0600 if that cannot be read, or if the run was not recorded by
 * this user in this directory: then another user has chosen the mode.
 */
int collect_file_mode(const struct manifest *manifest, const char *dir);

/*
 * The last step: list the files in the manifest, give the run to its owner with the permissions of [bundle] mode, write
 * the manifest with `state`, rename `dir` to `final_dir`, which must not exist. Stack copies stay for their owner alone,
 * and so does a perf.data that is not `distilled`.
 */
int collect_finish(struct manifest *manifest, enum run_state state, bool distilled, const char *dir,
		   const char *final_dir, struct err *err);

/*
 * Read the run at `dir` and append its summary, which is printed at the end; `bundle` is the path of its bundle; NULL:
 * none.
 */
int summary_add(const char *dir, const char *bundle, struct strbuf *sb, struct err *err);

#endif
