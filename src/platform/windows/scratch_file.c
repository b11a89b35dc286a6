#include "platform/scratch_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <winioctl.h>

#include "platform/clock.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"

#define PART_MAX (1U << 30)

struct scratch_file {
	char *folder; /* for messages */
	HANDLE handle;
};

/* It is gone with its last handle, so with the process too. */
static HANDLE open_new(const char *folder)
{
	HANDLE handle = INVALID_HANDLE_VALUE;

	for (int i = 0; i < 100 && handle == INVALID_HANDLE_VALUE; i++) {
		char *path = xasprintf("%sstagetrace-%lx%llx", folder, GetCurrentProcessId(),
				       (unsigned long long)clock_now() & 0xffffff);
		wchar_t *wide = wide_path(path);
		DWORD code;

		handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE,
				     NULL, CREATE_NEW,
				     FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
		code = GetLastError();
		free(wide);
		free(path);
		SetLastError(code);
		if (code != ERROR_FILE_EXISTS)
			break;
	}
	return handle;
}

int scratch_file_open(struct scratch_file **file, struct err *err)
{
	wchar_t base[MAX_PATH + 2] = L"";
	char *folder;
	HANDLE handle;
	DWORD code;

	GetTempPathW(ARRAY_SIZE(base), base);
	folder = wide_to_utf8(base);
	handle = open_new(folder);
	if (handle == INVALID_HANDLE_VALUE) {
		err_set_win32(err, GetLastError(),
			      "cannot make a temporary file in '%s' (TMP chooses another folder)",
			      folder);
		free(folder);
		return -1;
	}
	/* What lies between two far places is not written; where the file system can't, it is. */
	DeviceIoControl(handle, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &code, NULL);
	*file = xmalloc(sizeof(**file));
	**file = (struct scratch_file){ .folder = folder, .handle = handle };
	return 0;
}

void scratch_file_close(struct scratch_file *file)
{
	if (!file)
		return;
	CloseHandle(file->handle);
	free(file->folder);
	free(file);
}

static OVERLAPPED place(uint64_t offset)
{
	return (OVERLAPPED){ .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
}

static DWORD part_of(size_t nr)
{
	return nr < PART_MAX ? (DWORD)nr : PART_MAX;
}

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err)
{
	const char *data = from;

	while (nr) {
		OVERLAPPED where = place(offset);
		DWORD done = 0;

		if (!WriteFile(file->handle, data, part_of(nr), &done, &where) || !done)
			return err_set_win32(err, GetLastError(),
					     "cannot write a temporary file in '%s' (TMP chooses "
					     "another folder)",
					     file->folder);
		data += done;
		offset += done;
		nr -= done;
	}
	return 0;
}

int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err)
{
	char *data = to;

	while (nr) {
		OVERLAPPED where = place(offset);
		DWORD done = 0;

		if (!ReadFile(file->handle, data, part_of(nr), &done, &where) || !done)
			return err_set_win32(err, GetLastError(),
					     "cannot read a temporary file in '%s'", file->folder);
		data += done;
		offset += done;
		nr -= done;
	}
	return 0;
}
