#include "platform/file_map.h"

#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/windows/file_info.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"

/* A view lives on without the handles that it was made by. */
static int map_bytes(HANDLE file, const char *path, struct file_map *map, struct err *err)
{
	HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_WRITECOPY, 0, 0, NULL);
	DWORD code = GetLastError();

	if (mapping) {
		map->data = MapViewOfFile(mapping, FILE_MAP_COPY, 0, 0, 0);
		code = GetLastError();
		CloseHandle(mapping);
	}
	return map->data ? 0 : err_set_win32(err, code, "cannot read '%s'", path);
}

int file_map_open(const char *path, struct file_map *map, struct err *err)
{
	wchar_t *wide = wide_path(path);
	HANDLE file = file_info_open(wide, GENERIC_READ);
	DWORD code = GetLastError();
	BY_HANDLE_FILE_INFORMATION info;
	LARGE_INTEGER size;
	int rc = 0;

	free(wide);
	*map = (struct file_map){ NULL, 0 };
	if (file == INVALID_HANDLE_VALUE)
		return err_set_win32(err, code, "cannot read '%s'", path);
	if (GetFileType(file) != FILE_TYPE_DISK || !GetFileInformationByHandle(file, &info) ||
	    info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
		rc = err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	else if (!GetFileSizeEx(file, &size))
		rc = err_set_win32(err, GetLastError(), "cannot read '%s'", path);
	else if (size.QuadPart > 0)
		rc = map_bytes(file, path, map, err);
	if (map->data)
		map->size = (size_t)size.QuadPart;
	CloseHandle(file);
	return rc;
}

void file_map_close(struct file_map *map)
{
	if (map->data)
		UnmapViewOfFile(map->data);
	*map = (struct file_map){ NULL, 0 };
}
