/*
 * Reading a run, be it a directory or a bundle: members by name, one way for both.
 */
#ifndef RUNDIR_SOURCE_H
#define RUNDIR_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/process.h"
#include "rundir/manifest.h"
#include "util/err.h"
#include "util/strbuf.h"

struct run_source;

/* Whether it is for run_source_open(): a directory, or a zip file. */
bool run_source_takes(const char *path);

/*
 * Open a run directory (a .partial one too) or a bundle. A path that is neither is an error that says what
 * was expected there. A zip with one top folder, and one without, are both bundles.
 */
int run_source_open(const char *path, struct run_source **source, struct err *err);
void run_source_free(struct run_source *source);

const char *run_source_path(const struct run_source *source);
bool run_source_has(struct run_source *source, const char *member);

/* Size in bytes; -1 where there is no such member. */
int64_t run_source_size(struct run_source *source, const char *member);

/* Append a member's bytes; ERR_NOT_FOUND, or an error where it is larger than `limit`. */
int run_source_read(struct run_source *source, const char *member, int64_t limit, struct strbuf *sb,
		    struct err *err);

/*
 * A path under which the member can be opened as a file: its own in a directory, a temporary copy out of
 * a bundle, which lives until the source is freed. The caller frees the string.
 */
char *run_source_file(struct run_source *source, const char *member, struct err *err);

/* `manifest` is initialised, and empty after a failure. */
int run_source_manifest(struct run_source *source, struct manifest *manifest, struct err *err);

/* All processes; damaged lines are counted and described as processes_parse() does. */
int run_source_processes(struct run_source *source, struct process_list *list, int64_t *damaged,
			 struct strbuf *first, struct err *err);

#endif
