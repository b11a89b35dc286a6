/*
 * Writes a new zip into an open file. By a path libzip would make a file of its own, and rename it over whatever is there.
 */
#ifndef RUNDIR_ZIP_TARGET_H
#define RUNDIR_ZIP_TARGET_H

#include <stdio.h>
#include <stdint.h>
#include <zip.h>

#include "util/err.h"

struct zip_target {
	FILE *file;
	zip_error_t error;
};

/*
 * An empty zip that zip_close() writes into `file`, which stays open; it has no content before. NULL: see `error`. `target`
 * is released after zip_close() or zip_discard().
 */
zip_t *zip_target_open(struct zip_target *target, FILE *file, zip_error_t *error);
void zip_target_release(struct zip_target *target);

/* Set the error of libzip while it wrote to `path`: a full disk is ERR_NO_SPACE, with what to do. Returns -1. */
int zip_target_fail(const char *path, const zip_error_t *error, struct err *err);

/* ERR_NO_SPACE if there is no room at `path` for `total` bytes. */
int zip_target_check_room(const char *path, int64_t total, struct err *err);

#endif
