/*
 * Files that claim to be much larger than they are: a few bytes of an archive make one of terabytes.
 */
#ifndef PLATFORM_POSIX_SPARSE_H
#define PLATFORM_POSIX_SPARSE_H

#include <sys/stat.h>

#include "util/err.h"

/* ERR_UNSUPPORTED: the open file is larger than cost_decompressed_max() of what it has on the disk. */
int sparse_check(int fd, const struct stat *st, const char *path, struct err *err);

#endif
