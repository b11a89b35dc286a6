/*
 * Bytes that do not fit in memory, in a file without a name, which ends with the process. It is in TMPDIR (Windows: TMP),
 * or where the system wants large temporary files.
 */
#ifndef PLATFORM_SCRATCH_FILE_H
#define PLATFORM_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct scratch_file;

int scratch_file_open(struct scratch_file **file, struct err *err);
void scratch_file_close(struct scratch_file *file);

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err);

/* All of `nr` bytes that were written before. */
int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err);

#endif
