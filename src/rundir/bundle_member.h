/*
 * One file of a bundle while it is packed: a libzip source that reads the file once, in pieces, scrubs and hashes it, and
 * compares the hash with the manifest.
 */
#ifndef RUNDIR_BUNDLE_MEMBER_H
#define RUNDIR_BUNDLE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <zip.h>

#include "platform/file.h"
#include "rundir/hash.h"
#include "rundir/manifest.h"
#include "rundir/scrub_run.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/scrub.h"
#include "util/strbuf.h"

#define BUNDLE_STEP "packing the bundle" /* for struct progress */

#define MEMBER_READ_SIZE ((size_t)256 * 1024)

/* What all files of a bundle share. */
struct packing {
	const char *dir;                 /* of the run */
	struct scrub *scrub;             /* NULL: do not */
	const struct progress *progress; /* in bytes, every few MB; NULL: none */
	int64_t total, done;             /* bytes */
	int64_t reported;
	struct err *err; /* a source's error, which libzip cannot carry */
	bool failed;
};

struct member {
	struct packing *packing;
	char *path;                         /* in the run */
	char *name;                         /* the path in the bundle */
	char *file_path;                    /* for messages */
	FILE *file;                         /* while it is read */
	const struct manifest_file *listed; /* NULL: not in the manifest */
	int64_t size;
	time_t mtime;
	struct hash hash; /* of the bytes on disk */
	int64_t read;     /* bytes so far */
	bool complete;    /* read to its end */

	bool from;                    /* file_path is not in the run */
	struct scratch_file *instead; /* its new content, borrowed; NULL: none */
	bool changes; /* it is scrubbed: its size in the bundle is not known before */
	enum scrub_content content;
	struct scrub_lines lines;
	struct strbuf in; /* bytes to be scrubbed */

	struct hash hash_out; /* of the bytes in the bundle, if they are scrubbed */
	struct strbuf out;    /* bytes to give */
	size_t given;         /* of these */
	int64_t size_out;
	char sha256[HASH_TEXT_SIZE];
};

/* Set up `member` for the file `path` of the run, with its size and time. */
int member_init(struct member *member, struct packing *packing, const char *path, struct err *err);
/* The same for the file of this machine at the path `from`, which had this size when it was chosen. */
void member_init_from(struct member *member, struct packing *packing, const char *path,
		      const char *from, int64_t size);
void member_release(struct member *member);

/* The size and hash of what was read are those of the manifest: else ERR_CORRUPT. */
int member_compare(const struct member *member, struct err *err);

/* The callback of libzip; `state` is the member. */
zip_int64_t member_command(void *state, void *data, zip_uint64_t len, zip_source_cmd_t command);

/* Two of its commands: the next bytes, and what is known of the file. */
zip_int64_t member_give(struct member *member, void *data, size_t len);
zip_int64_t member_give_stat(const struct member *member, void *data);

#endif
