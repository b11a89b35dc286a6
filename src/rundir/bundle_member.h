/*
 * The files of a bundle as libzip sources: read once, in pieces, hashed, compared with the manifest, and
 * scrubbed on the way. bundle.c's own.
 */
#ifndef RUNDIR_BUNDLE_MEMBER_H
#define RUNDIR_BUNDLE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <zip.h>

#include "rundir/bundle.h"
#include "rundir/hash.h"
#include "rundir/manifest.h"
#include "rundir/scrub.h"
#include "util/strbuf.h"

struct pack;

struct member {
	struct pack *pack;
	char *path;      /* in the run */
	char *file_path; /* where it is read from */
	zip_source_t *file;
	const struct manifest_file *listed; /* NULL: the manifest does not know it */
	int64_t size;
	time_t mtime;
	struct hash *hash; /* as it is on disk */
	int64_t read;      /* bytes so far */
	bool whole;

	struct hash *hash_out; /* as it goes into the bundle; NULL: the same */
	struct strbuf out;     /* some context, what is to be given, what is to be scrubbed */
	size_t given, done;    /* where the last two begin */
	char sha256[HASH_TEXT_SIZE];
};

/* One bundle while it is written. */
struct pack {
	const struct bundle_options *options;
	struct manifest manifest;
	struct strbuf manifest_text; /* as it is on disk */
	bool rewrite;                /* the manifest inside must be another one */
	struct scrub *scrub;         /* NULL: nothing to scrub */
	struct member *members;      /* the manifest is the last one */
	size_t nr;
	int64_t total, done; /* bytes */
	int64_t reported;
	struct err *err; /* what went wrong in a source; libzip cannot carry it */
	bool failed;
};

/* Prepare `member` to be `path` of `dir`: its size and time are known then. */
int member_init(struct member *member, struct pack *pack, const char *dir, const char *path,
		struct err *err);
void member_release(struct member *member);

/* A source that gives the member's bytes; NULL with libzip's `error`. The manifest comes after all others. */
zip_source_t *member_source(struct member *member, zip_error_t *error);

#endif
