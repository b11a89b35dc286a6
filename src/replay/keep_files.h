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
#include "util/intmap.h"

/*
 * Modules of processes whose heap snapshots are in the trace, by module id. The stacks of blocks are in bytes that only
 * programs of Microsoft can read, so that any of these modules may have frames there.
 */
struct snapshot_modules {
	bool *v;
	size_t nr, alloc;
	struct intmap pids; /* of these processes, as many snapshots as were looked at */
	size_t pids_nr;
};

/* Take an event of the trace into account, when it is played. */
void snapshot_modules_see(struct snapshot_modules *modules, struct replay *replay,
			  const struct trace_event *event);
void snapshot_modules_release(struct snapshot_modules *modules);

/* All is borrowed. */
struct keep_job {
	struct replay *replay; /* it was played, `fresh` */
	const char *dir;       /* of the run */
	const struct keep_options *options;
	const struct process_list *rows;
	const struct manifest *manifest;
	const struct snapshot_modules *snapshots;
	struct bundle_files
		*files; /* gets what the run has not; NULL: that is copied into the run */
};

/* Whether the options want files of this trace. */
bool keep_files_wanted(const struct keep_job *job);

/*
 * Each module with frames, or of heap snapshots, is taken whose file was found by its id, those with the most frames
 * first. `notes` gets lines for the user; a file that cannot be taken is a warning there. -1: stopped by the progress of
 * the replay.
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
