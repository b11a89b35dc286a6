/*
 * Writes a bundle: a whole run in one zip64 file, which unzip and Windows Explorer can open.
 */
#ifndef RUNDIR_BUNDLE_H
#define RUNDIR_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/progress.h"

struct bundle_options {
	bool compress;
	int mode; /* permissions of the bundle and the files in it; 0: 0600. It belongs to owner_in() its folder */
	bool scrub; /* replace host, user and home in every file, by text of equal length (scrub.h) */
	const char *host; /* each may be NULL */
	const char *user;
	const char *home;
	bool without_symbols;
	const struct progress *progress; /* in bytes, every few MB; NULL: none */
};

/*
 * Pack the run directory `dir` into the bundle `path`, below a top folder with the run's name. The bundle is written under
 * a temporary name and then renamed, so `path` is complete or does not exist; after a failure no partial file remains.
 * The run is not changed. Each file's SHA-256 is compared with the manifest: a difference is an error. Files that the
 * manifest does not list (a report made later) are packed too; the manifest in the bundle lists them. RUN_STACK_COPIES is
 * left out: it holds the environment of the recorded programs.
 */
int bundle_write(const char *dir, const char *path, const struct bundle_options *options,
		 struct err *err);

#endif
