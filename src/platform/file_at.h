/*
 * A file read from any place in it, without a position of its own: large ones too, and ones that grow or
 * shrink meanwhile.
 */
#ifndef PLATFORM_FILE_AT_H
#define PLATFORM_FILE_AT_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct file_at;

/* Regular files only. */
int file_at_open(const char *path, struct file_at **file, struct err *err);
void file_at_close(struct file_at *file);

/* Bytes, now. */
int64_t file_at_size(const struct file_at *file);

/* Up to `nr` bytes from `offset`; how many came: fewer only where the file ends. -1. Thread-safe. */
int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err);

#endif
