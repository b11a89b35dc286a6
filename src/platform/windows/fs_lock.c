#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/windows/file_info.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"

/*
 * A handle that would keep others out would keep the directory from being renamed too. So the lock is a name that the
 * system knows while we live, made of the directory's number, which it keeps when it is renamed.
 */
struct fs_lock {
	HANDLE name;
};

/* False on file systems that have no numbers. */
static bool make_name(HANDLE dir, wchar_t *name, size_t size)
{
	FILE_ID_INFO id;
	BY_HANDLE_FILE_INFORMATION info;
	uint64_t file[2] = { 0, 0 };
	uint64_t volume;

	if (GetFileInformationByHandleEx(dir, FileIdInfo, &id, sizeof(id))) {
		memcpy(file, &id.FileId, sizeof(file));
		volume = id.VolumeSerialNumber;
	} else if (GetFileInformationByHandle(dir, &info)) {
		file[0] = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
		volume = info.dwVolumeSerialNumber;
	} else {
		return false;
	}
	swprintf(name, size, L"Global\\stagetrace-%016llx-%016llx%016llx",
		 (unsigned long long)volume, (unsigned long long)file[1],
		 (unsigned long long)file[0]);
	return file[0] || file[1];
}

int fs_lock(const char *dir, struct fs_lock **lock, struct err *err)
{
	wchar_t *wide = wide_path(dir), name[96];
	HANDLE handle = fs_is_dir(dir) ? file_info_open(wide, 0) : INVALID_HANDLE_VALUE;
	DWORD code = GetLastError();
	bool named;

	free(wide);
	if (handle == INVALID_HANDLE_VALUE)
		return err_set_win32(err, code ? code : ERROR_DIRECTORY,
				     "cannot open the directory '%s'", dir);
	named = make_name(handle, name, ARRAY_SIZE(name));
	CloseHandle(handle);
	handle = named ? CreateMutexW(NULL, FALSE, name) : NULL;
	code = GetLastError();
	/* Another user's may not even be opened. */
	if (named && (code == ERROR_ALREADY_EXISTS || (!handle && code == ERROR_ACCESS_DENIED))) {
		if (handle)
			CloseHandle(handle);
		return err_set(err, ERR_UNSUPPORTED, "'%s' is in use by another stagetrace", dir);
	}
	*lock = xmalloc(sizeof(**lock));
	(*lock)->name = handle;
	return 0;
}

void fs_unlock(struct fs_lock *lock)
{
	if (lock && lock->name)
		CloseHandle(lock->name);
	free(lock);
}
