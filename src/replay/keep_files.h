/*
 * Finds the PDBs and debug files of a trace's modules, so that WPA and others have them when the build directory is gone:
 * `[bundle] symbols = build` and `all`.
 */
#ifndef REPLAY_KEEP_FILES_H
#define REPLAY_KEEP_FILES_H

#include <stdbool.h>

#include "replay/replay.h"
#include "rundir/bundle.h"
#include "rundir/keep_options.h"
#include "rundir/manifest.h"

/* All is borrowed. */
struct keep_job {
	struct replay *replay; /* it was played, `fresh` */
	const char *dir;       /* of the run */
	const struct keep_options *options;
	const struct process_list *rows;
	const struct manifest *manifest;
	struct bundle_files
		*files; /* gets what the run has not; NULL: that is copied into the run */
};

/* Whether the options want files of this trace. */
bool keep_files_wanted(const struct keep_job *job);

/*
 * Each module with frames is taken whose file was found by its id, those with the most frames first. `notes` gets lines
 * for the user; a file that cannot be taken is a warning there. -1: stopped by the progress of the replay.
 */
int keep_files(const struct keep_job *job, struct strbuf *notes, struct err *err);

/*
 * Find what keep_files() would take for a bundle of the complete run `dir`, which is not changed: its trace is played. A
 * trace that cannot be read, or none, is a line of `notes`. `options->files` is KEEP_FILES_BUILD or KEEP_FILES_ALL.
 */
int keep_files_for_bundle(const char *dir, const struct keep_options *options,
			  const struct progress *progress, struct bundle_files *files,
			  struct strbuf *notes, struct err *err);

#endif
