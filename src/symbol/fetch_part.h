/*
 * A .part file: what has arrived of a file that is fetched, in the cache, within the limits of size, disk and time.
 */
#ifndef SYMBOL_FETCH_PART_H
#define SYMBOL_FETCH_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "symbol/pdb/pdb_msf.h"
#include "util/err.h"
#include "util/progress.h"

#define FETCH_STEP "fetching symbol files" /* for struct progress */

/* What holds for all files that a command fetches. */
struct fetch_rules {
	char *cache; /* the directory */
	uint64_t bytes_max;
	int64_t answer_ns; /* how long a server may be silent */
	int64_t whole_ns;  /* how long one file may take */
	const struct progress *progress;
};

/* What a file is asked for as. */
enum fetch_kind { FETCH_DEBUG_FILE, FETCH_PDB, FETCH_PACKED_PDB };

/* What became of it. */
enum fetch_outcome {
	FETCH_WHOLE,   /* it has arrived */
	FETCH_ABSENT,  /* the server does not have it */
	FETCH_CUT,     /* the answer ended early, or is of another part: a next one may go on */
	FETCH_SPOILED, /* what was sent does not go on with what was there before */
	FETCH_DENIED,  /* the server answers with another status of HTTP */
	FETCH_SILENT,  /* the server does not answer, or is too slow */
	FETCH_STOPPED, /* by the disk, the time that one file may take, or the user */
	FETCH_REFUSED, /* it is too large, or of another kind */
};

struct fetch_part {
	const struct fetch_rules *rules;
	const char *name; /* below the cache */
	enum fetch_kind kind;
	int64_t end_ns; /* of the time that it may take */
	int64_t total;  /* bytes of the whole file; -1: unknown */
	uint64_t at;    /* bytes of it so far */

	/* FETCH_STOPPED, FETCH_SPOILED or FETCH_REFUSED, if a function below has failed. */
	enum fetch_outcome ended;

	FILE *file;
	bool from_start;
	char head[PDB_MSF_HEAD]; /* its first bytes */
	size_t head_nr;
	uint64_t looked; /* where its disk was looked at, if the total is unknown */
};

/* For struct http_sink; `data` is the part. fetch_part_close() follows, also after an error. */
int fetch_part_begin(void *data, uint64_t offset, int64_t total, struct err *err);
int fetch_part_write(void *data, const void *bytes, size_t nr, struct err *err);
int fetch_part_tick(void *data, struct err *err);

/* What was written is on the disk then. Returns `rc`, that of the writing, or -1, with `err` only if `rc` is 0. */
int fetch_part_close(struct fetch_part *part, int rc, struct err *err);

#endif
