/*
 * The type and size of the file at a path.
 */
#ifndef PLATFORM_WINDOWS_FILE_INFO_H
#define PLATFORM_WINDOWS_FILE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

struct file_info {
	bool dir;
	bool link; /* a symbolic link or a junction; false if links were followed */
	int64_t size;
};

/*
 * Get the facts, with `follow` those of a link's target. False if there is no file, or the link has no target; then
 * GetLastError() has the reason.
 */
bool file_info_get(const wchar_t *path, bool follow, struct file_info *info);

/*
 * Open a file or directory with the `access` rights of CreateFileW(), 0 to read only its facts. Other programs may
 * write, rename or remove it meanwhile. INVALID_HANDLE_VALUE on failure.
 */
void *file_info_open(const wchar_t *path, unsigned long access);

#endif
