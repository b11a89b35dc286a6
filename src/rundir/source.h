/*
 * Reads the files (members) of a run, from its directory or from a bundle.
 */
#ifndef RUNDIR_SOURCE_H
#define RUNDIR_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "model/process.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct run_source;

/* Is `path` a directory or a zip file, which run_source_open() may read? */
bool run_source_takes(const char *path);

/* The first of the paths that is one; NULL: none is. */
const char *run_source_among(const struct strvec *paths);

/*
 * Open a run directory (also a .partial one) or a bundle, with or without a top directory in the zip. Any other path is an
 * error.
 */
int run_source_open(const char *path, struct run_source **source, struct err *err);
void run_source_free(struct run_source *source);

/*
 * Open a zip that holds ETL traces and no run, as PerfView makes them (.etl.zip). The names of its traces are appended to
 * `members`: run_source_file() has them. 1: it is no such zip, and nothing was opened.
 */
int run_source_open_traces(const char *path, struct run_source **source, struct strvec *members,
			   struct err *err);

const char *run_source_path(const struct run_source *source);

/* The bytes that are stored of the bundle; 0: it is a directory, and nothing is packed. */
uint64_t run_source_bundle_bytes(const struct run_source *source);

/* The bytes that are stored of what views read: of the bundle, or of files in the directory. */
uint64_t run_source_stored_bytes(const struct run_source *source);

/* The bytes that are stored of the files in a run directory (cost_of_file()): of `all`, or of those that views read. */
uint64_t run_dir_bytes(const char *dir, bool all);

/* Append the names of all files, as below_list(). ERR_UNSUPPORTED: they have too many holes together. */
int run_dir_list(const char *dir, struct strvec *files, struct err *err);

bool run_source_has(struct run_source *source, const char *member);

/* Size in bytes; -1: no such member. */
int64_t run_source_size(struct run_source *source, const char *member);

/* Append a member's bytes. ERR_NOT_FOUND: no such member. ERR_UNSUPPORTED: larger than `limit`. */
int run_source_read(struct run_source *source, const char *member, int64_t limit, struct strbuf *sb,
		    struct err *err);

/* The same; of a member that is larger its last `limit` bytes. */
int run_source_read_end(struct run_source *source, const char *member, int64_t limit,
			struct strbuf *sb, struct err *err);

/*
 * The path of a member as a file on disk: in the run directory, or a temporary copy from the bundle (scratch_file_path()),
 * which is gone after run_source_free() or the end of this process. The caller frees the string.
 */
char *run_source_file(struct run_source *source, const char *member, struct err *err);

/* In an error about a copy, name the member of the bundle instead. Returns -1. */
int run_source_name_copies(const struct run_source *source, struct err *err);

/* `manifest` is initialised, and empty after a failure. */
int run_source_manifest(struct run_source *source, struct manifest *manifest, struct err *err);

/* All processes; damaged lines are counted and described as processes_parse() does. */
int run_source_processes(struct run_source *source, struct process_list *list, int64_t *damaged,
			 struct strbuf *first, struct err *err);

/* Add the settings that the run was recorded with, as they were given; what is no setting is left out. */
int run_source_settings(struct run_source *source, struct config *config, struct err *err);

#endif
