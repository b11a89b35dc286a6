/*
 * Writes a bundle: a whole run in one zip file (zip64 above 4 GB), which unzip and Windows Explorer can open.
 */
#ifndef RUNDIR_BUNDLE_H
#define RUNDIR_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/file.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/scrub.h"
#include "util/strvec.h"

/* A trace that takes the place of the run's, as it was rewritten. */
struct bundle_trace {
	struct scratch_file *file; /* NULL: the run's own is packed */
	int64_t size;
	bool distilled; /* its stacks are no longer in symbols/ */
};

/* Files of this machine that a bundle gets in addition to those of the run. */
struct bundle_files {
	struct bundle_file {
		char *from; /* path */
		char *name; /* in the bundle, as that of a file of the run */
		int64_t size;
	} * v;
	size_t nr, alloc;
};

#define BUNDLE_FILES_INIT \
	{ \
		NULL, 0, 0 \
	}

/* A file whose size is not `size` when it is packed has changed: an error. */
void bundle_files_add(struct bundle_files *files, const char *from, const char *name, int64_t size);
bool bundle_files_has(const struct bundle_files *files, const char *name);
void bundle_files_release(struct bundle_files *files);

struct bundle_options {
	bool compress;
	bool replace; /* the bundle may exist */
	int mode; /* permissions of the bundle and the files in it; 0: 0600. It belongs to owner_in() its directory */
	bool without_symbols;
	bool names_only; /* leave PDBs and debug files out */
	bool without_trace;
	bool with_stack_copies; /* also pack RUN_STACK_COPIES */
	struct scrub *scrub; /* replace private names in every file (scrub_run.h); NULL: do not */
	struct bundle_trace trace;
	const struct bundle_files *files; /* they are not scrubbed; NULL: none */
	/* About call stacks, for the manifest in the bundle: share_run() appends what is lost. NULL: none */
	struct strvec *stack_warnings;
	const struct progress *progress; /* of all steps; NULL: none */
};

/*
 * Pack the run directory `dir` into the bundle `path`, below a top directory with the run's name. The bundle is written
 * under a temporary name and then renamed, so `path` is complete or does not exist; after a failure no partial file
 * remains. The run is not changed. Each file's SHA-256 is compared with the manifest: a difference is an error. Files
 * that the manifest does not list (a report made later) are packed too; the manifest in the bundle lists them.
 * RUN_STACK_COPIES is left out: it holds the environment of the recorded programs.
 *
 * With `scrub`, a trace must be given in `trace` or left out: ERR_UNSUPPORTED; a file that is no text is left out, and so
 * are symbols without a trace.
 */
int bundle_write(const char *dir, const char *path, const struct bundle_options *options,
		 struct err *err);

/*
 * Learn whose home directories the files of a run name, without its trace: before that is scrubbed for bundle_write(), so
 * that their names are replaced there too.
 */
int bundle_learn(const char *dir, struct scrub *scrub, const struct progress *progress,
		 struct err *err);

/* Whether the file of a run is a trace, or a part of one. */
bool bundle_is_trace(const char *path);

#endif
