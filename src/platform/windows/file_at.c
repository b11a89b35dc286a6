#include "platform/file_at.h"

#include <stdlib.h>
#include <windows.h>

#include "platform/windows/file_info.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

#define PART_MAX (1U << 30)

struct file_at {
	char *path;
	HANDLE handle;
};

static bool is_file(HANDLE handle)
{
	BY_HANDLE_FILE_INFORMATION info;

	return GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &info) &&
	       !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
}

int file_at_open(const char *path, struct file_at **file, struct err *err)
{
	wchar_t *wide = wide_path(path);
	HANDLE handle = file_info_open(wide, GENERIC_READ);
	DWORD code = GetLastError();

	free(wide);
	if (handle == INVALID_HANDLE_VALUE)
		return err_set_win32(err, code, "cannot read '%s'", path);
	if (!is_file(handle)) {
		CloseHandle(handle);
		return err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	}
	*file = xmalloc(sizeof(**file));
	**file = (struct file_at){ .path = xstrdup(path), .handle = handle };
	return 0;
}

void file_at_close(struct file_at *file)
{
	if (!file)
		return;
	CloseHandle(file->handle);
	free(file->path);
	free(file);
}

int64_t file_at_size(const struct file_at *file)
{
	LARGE_INTEGER size;

	return GetFileSizeEx(file->handle, &size) ? size.QuadPart : 0;
}

int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err)
{
	size_t done = 0;

	if (offset > INT64_MAX - nr)
		return 0;
	while (done < nr) {
		uint64_t at = offset + done;
		OVERLAPPED where = { .Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32) };
		DWORD part = nr - done < PART_MAX ? (DWORD)(nr - done) : PART_MAX, got = 0;

		if (!ReadFile(file->handle, (char *)to + done, part, &got, &where) &&
		    GetLastError() != ERROR_HANDLE_EOF)
			return err_set_win32(err, GetLastError(), "cannot read '%s'", file->path);
		if (!got)
			break;
		done += got;
	}
	return (int64_t)done;
}
