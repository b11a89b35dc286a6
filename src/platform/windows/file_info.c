#include "platform/windows/file_info.h"

#include <windows.h>

static void take(DWORD attributes, DWORD high, DWORD low, struct file_info *info)
{
	info->dir = attributes & FILE_ATTRIBUTE_DIRECTORY;
	info->link = false;
	info->size = (int64_t)high << 32 | low;
}

HANDLE file_info_open(const wchar_t *path, DWORD access)
{
	return CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
			   NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

/* Other reparse points (a file in the cloud, the alias of an app) count as ordinary files. */
static bool is_link(const wchar_t *path)
{
	WIN32_FIND_DATAW data;
	HANDLE find =
		FindFirstFileExW(path, FindExInfoBasic, &data, FindExSearchNameMatch, NULL, 0);

	if (find == INVALID_HANDLE_VALUE)
		return false;
	FindClose(find);
	return data.dwReserved0 == IO_REPARSE_TAG_SYMLINK ||
	       data.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT;
}

static bool get_followed(const wchar_t *path, struct file_info *info)
{
	HANDLE file = file_info_open(path, 0);
	BY_HANDLE_FILE_INFORMATION data;
	bool known;

	if (file == INVALID_HANDLE_VALUE)
		return false;
	known = GetFileInformationByHandle(file, &data);
	CloseHandle(file);
	if (known)
		take(data.dwFileAttributes, data.nFileSizeHigh, data.nFileSizeLow, info);
	return known;
}

bool file_info_get(const wchar_t *path, bool follow, struct file_info *info)
{
	WIN32_FILE_ATTRIBUTE_DATA data;

	if (!GetFileAttributesExW(path, GetFileExInfoStandard, &data))
		return false;
	take(data.dwFileAttributes, data.nFileSizeHigh, data.nFileSizeLow, info);
	if (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT && is_link(path)) {
		info->link = true;
		return !follow || get_followed(path, info);
	}
	return true;
}
