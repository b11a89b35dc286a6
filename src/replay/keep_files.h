/*
 * Copies the PDBs and debug files of a trace's modules into its run, so that WPA and others find them when the build
 * directory is gone: `[bundle] symbols = build` and `all`.
 */
#ifndef REPLAY_KEEP_FILES_H
#define REPLAY_KEEP_FILES_H

#include "replay/replay.h"
#include "rundir/keep_options.h"
#include "rundir/manifest.h"

/*
 * The trace was played, and the names of its frames were found: each module with frames is taken whose file was found by
 * its id, those with the most frames first. `dir` is the run. `notes` gets lines for the user; a file that cannot be
 * copied is a warning there. -1: stopped by `replay->progress`.
 */
int keep_files(struct replay *replay, const char *dir, const struct keep_options *options,
	       const struct process_list *rows, const struct manifest *manifest,
	       struct strbuf *notes, struct err *err);

#endif
