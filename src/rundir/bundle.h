/*
 * A run in one zip64 file that unzip and Windows Explorer open.
 */
#ifndef RUNDIR_BUNDLE_H
#define RUNDIR_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct bundle_options {
	bool compress;
	bool scrub;       /* replace the three below, at equal length, in every file (scrub.h) */
	const char *host; /* each may be NULL */
	const char *user;
	const char *home;
	bool without_symbols;
	/* Called now and then, may be NULL; true stops the work. */
	bool (*progress)(int64_t done_bytes, int64_t total_bytes, void *data);
	void *data;
};

/*
 * Pack the whole run directory `dir` under a top folder of its name into `path`. Written beside it and
 * renamed, so that `path` is whole or not there; a full disk leaves the run as it was and no partial file.
 * Every file's SHA-256 is checked against the manifest on the way: a difference is an error. Files the
 * manifest does not know (a report made later) are packed too; the manifest inside lists all.
 */
int bundle_write(const char *dir, const char *path, const struct bundle_options *options,
		 struct err *err);

#endif
