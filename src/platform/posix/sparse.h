/*
 * Files that claim to be much larger than they are: a few bytes of an archive make one of terabytes.
 */
#ifndef PLATFORM_POSIX_SPARSE_H
#define PLATFORM_POSIX_SPARSE_H

#include <stdint.h>
#include <sys/stat.h>

#include "util/err.h"

/* The bytes of the open file that are no hole. A file system without holes says that all are data. */
uint64_t sparse_stored(int fd, const struct stat *st);

/* ERR_UNSUPPORTED: the open file is larger than cost_decompressed_max() of what it has stored. */
int sparse_check(int fd, const struct stat *st, const char *path, struct err *err);

#endif
