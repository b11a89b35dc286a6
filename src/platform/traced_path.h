/*
 * Paths that a trace, or a file that it names, may have made up.
 */
#ifndef PLATFORM_TRACED_PATH_H
#define PLATFORM_TRACED_PATH_H

#include <stdbool.h>

/*
 * Whether looking at a path has no effect: it is absolute, and neither the kernel's (/proc, /sys, /dev), nor below a place
 * that is mounted on access (autofs: /net/SERVER), nor another machine's.
 */
bool traced_path_is_plain(const char *path);

#endif
