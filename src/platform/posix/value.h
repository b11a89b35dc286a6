/*
 * Reads values from the small text files by which the kernel shows its state.
 */
#ifndef PLATFORM_POSIX_VALUE_H
#define PLATFORM_POSIX_VALUE_H

#include <stdint.h>

/*
 * The text after `key` in the first line of the file that begins with it, without the characters of `skip` before it and up
 * to a quote. NULL: there is none. The caller frees it.
 */
char *value_read(const char *path, const char *key, const char *skip);

/* The number there, after blanks; -1: there is none, as "max". */
int64_t value_read_number(const char *path, const char *key);

#endif
