#include "platform/file.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>

#include <winioctl.h>

#include "platform/clock.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"

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

/*
 * Open for reading; other programs may write, rename or remove the file meanwhile. INVALID_HANDLE_VALUE: it cannot be
 * read, or is not a file.
 */
static HANDLE open_file(const char *path, struct err *err)
{
	wchar_t *wide = wide_path(path);
	HANDLE handle = CreateFileW(wide, GENERIC_READ,
				    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
				    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
	DWORD code = GetLastError();

	free(wide);
	if (handle == INVALID_HANDLE_VALUE) {
		err_set_win32(err, code, "cannot read '%s'", path);
	} else if (!is_file(handle)) {
		CloseHandle(handle);
		handle = INVALID_HANDLE_VALUE;
		err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	}
	return handle;
}

static OVERLAPPED at_offset(uint64_t offset)
{
	return (OVERLAPPED){ .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
}

static DWORD part_of(size_t nr)
{
	return nr < PART_MAX ? (DWORD)nr : PART_MAX;
}

/* Returns the number of bytes read, smaller than `nr` only at the end of the file; -1 with GetLastError(). */
static int64_t read_at(HANDLE handle, uint64_t offset, void *to, size_t nr)
{
	size_t done = 0;

	while (done < nr) {
		OVERLAPPED where = at_offset(offset + done);
		DWORD got = 0;

		if (!ReadFile(handle, (char *)to + done, part_of(nr - done), &got, &where) &&
		    GetLastError() != ERROR_HANDLE_EOF)
			return -1;
		if (!got)
			break;
		done += got;
	}
	return (int64_t)done;
}

int file_at_open(const char *path, struct file_at **file, struct err *err)
{
	HANDLE handle = open_file(path, err);

	if (handle == INVALID_HANDLE_VALUE)
		return -1;
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

uint64_t file_at_stored(const struct file_at *file)
{
	return (uint64_t)file_at_size(file);
}

int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err)
{
	int64_t got = offset > INT64_MAX - nr ? 0 : read_at(file->handle, offset, to, nr);

	return got < 0 ? err_set_win32(err, GetLastError(), "cannot read '%s'", file->path) : got;
}

/* A view remains valid when the handles that it was made with are closed. */
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
	HANDLE file = open_file(path, err);
	LARGE_INTEGER size;
	int rc = 0;

	*map = (struct file_map){ NULL, 0 };
	if (file == INVALID_HANDLE_VALUE)
		return -1;
	if (!GetFileSizeEx(file, &size))
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

void file_map_drop(const struct file_map *map)
{
	/* It makes pages that are not locked leave the working set. */
	if (map->data)
		VirtualUnlock(map->data, map->size);
}

struct scratch_file {
	char *dir; /* for messages */
	char *path;
	HANDLE handle;
};

/* Create a file that is deleted when its last handle is closed, so also when the process ends. The caller frees `*made`. */
static HANDLE open_new(const char *dir, char **made)
{
	HANDLE handle = INVALID_HANDLE_VALUE;

	for (int i = 0; i < 100 && handle == INVALID_HANDLE_VALUE; i++) {
		char *path = xasprintf("%sstagetrace-%lx%llx", dir, GetCurrentProcessId(),
				       (unsigned long long)clock_now() & 0xffffff);
		wchar_t *wide = wide_path(path);
		DWORD code;

		handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE | DELETE,
				     FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_NEW,
				     FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
		code = GetLastError();
		free(wide);
		if (handle == INVALID_HANDLE_VALUE)
			free(path);
		else
			*made = path;
		SetLastError(code);
		if (code != ERROR_FILE_EXISTS)
			break;
	}
	return handle;
}

int scratch_file_open(struct scratch_file **file, struct err *err)
{
	wchar_t base[MAX_PATH + 2] = L"";
	char *dir, *path;
	HANDLE handle;
	DWORD code;

	GetTempPathW(ARRAY_SIZE(base), base);
	dir = wide_to_utf8(base);
	handle = open_new(dir, &path);
	if (handle == INVALID_HANDLE_VALUE) {
		err_set_win32(
			err, GetLastError(),
			"cannot create a temporary file in '%s' (TMP chooses another directory)",
			dir);
		free(dir);
		return -1;
	}
	/* A sparse file: gaps between offsets need no space, if the file system supports that. */
	DeviceIoControl(handle, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &code, NULL);
	*file = xmalloc(sizeof(**file));
	**file = (struct scratch_file){ .dir = dir, .path = path, .handle = handle };
	return 0;
}

void scratch_file_close(struct scratch_file *file)
{
	if (!file)
		return;
	CloseHandle(file->handle);
	free(file->dir);
	free(file->path);
	free(file);
}

const char *scratch_file_dir(const struct scratch_file *file)
{
	return file->dir;
}

char *scratch_file_path(const struct scratch_file *file)
{
	return xstrdup(file->path);
}

FILE *scratch_file_stream(struct scratch_file *file, struct err *err)
{
	HANDLE handle, self = GetCurrentProcess();
	FILE *stream = NULL;
	int fd = -1;

	if (DuplicateHandle(self, file->handle, self, &handle, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
		fd = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_RDWR);
		if (fd < 0)
			CloseHandle(handle);
		stream = fd < 0 ? NULL : _fdopen(fd, "r+b");
	}
	if (stream)
		return stream;
	if (fd >= 0)
		_close(fd);
	err_set(err, ERR_FAILED, "cannot open a temporary file in '%s'", file->dir);
	return NULL;
}

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err)
{
	const char *data = from;

	while (nr) {
		OVERLAPPED where = at_offset(offset);
		DWORD done = 0;

		if (!WriteFile(file->handle, data, part_of(nr), &done, &where) || !done)
			return err_set_win32(err, GetLastError(),
					     "cannot write a temporary file in '%s' (TMP chooses "
					     "another directory)",
					     file->dir);
		data += done;
		offset += done;
		nr -= done;
	}
	return 0;
}

int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err)
{
	int64_t got = read_at(file->handle, offset, to, nr);

	if (got < 0 || (size_t)got < nr)
		return err_set_win32(err, got < 0 ? GetLastError() : ERROR_HANDLE_EOF,
				     "cannot read a temporary file in '%s'", file->dir);
	return 0;
}
