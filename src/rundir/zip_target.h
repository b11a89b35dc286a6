/*
 * Writes a new zip into an open file. By a path libzip would make a file of its own, and rename it over whatever is there.
 */
#ifndef RUNDIR_ZIP_TARGET_H
#define RUNDIR_ZIP_TARGET_H

#include <stdio.h>
#include <zip.h>

struct zip_target {
	FILE *file;
	zip_error_t error;
};

/*
 * An empty zip that zip_close() writes into `file`, which stays open; it has no content before. NULL: see `error`. `target` is
 * released after zip_close() or zip_discard().
 */
zip_t *zip_target_open(struct zip_target *target, FILE *file, zip_error_t *error);
void zip_target_release(struct zip_target *target);

#endif
