/*
 * What there is at a path.
 */
#ifndef PLATFORM_WINDOWS_FILE_INFO_H
#define PLATFORM_WINDOWS_FILE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

struct file_info {
	bool dir;
	bool link; /* a symbolic link or a junction; never where links were followed */
	int64_t size;
};

/* False where there is nothing, or with `follow` nothing at the end of the link; then GetLastError() tells why. */
bool file_info_get(const wchar_t *path, bool follow, struct file_info *info);

/*
 * Open for reading what is there, a directory too, while others write, rename or remove it: with `access` 0 for its
 * facts alone. INVALID_HANDLE_VALUE where that fails.
 */
void *file_info_open(const wchar_t *path, unsigned long access);

#endif
