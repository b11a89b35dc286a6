/*
 * Reads values from the small text files by which the kernel shows its state.
 */
#ifndef PLATFORM_POSIX_VALUE_H
#define PLATFORM_POSIX_VALUE_H

/*
 * The text after `key` in the first line of the file that begins with it, without the characters of `skip` before it and up
 * to a quote. NULL: there is none. The caller frees it.
 */
char *value_read(const char *path, const char *key, const char *skip);

#endif
