#include "platform/fs.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/windows/file_info.h"
#include "platform/windows/path.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

#define TRIES 20 /* 2 seconds in all */

static bool get_info(const char *path, bool follow, struct file_info *info)
{
	wchar_t *wide = wide_path(path);
	bool there = file_info_get(wide, follow, info);

	free(wide);
	return there;
}

bool fs_exists(const char *path)
{
	struct file_info info;

	return get_info(path, false, &info);
}

bool fs_is_dir(const char *path)
{
	struct file_info info;

	return get_info(path, true, &info) && info.dir;
}

bool fs_is_executable(const char *path)
{
	struct file_info info;

	return path_is_program(path) && get_info(path, true, &info) && !info.dir;
}

bool fs_is_link(const char *path)
{
	struct file_info info;

	return get_info(path, false, &info) && info.link;
}

static bool can_open(const char *path, DWORD access)
{
	wchar_t *wide = wide_path(path);
	HANDLE file = file_info_open(wide, access);

	free(wide);
	if (file == INVALID_HANDLE_VALUE)
		return false;
	CloseHandle(file);
	return true;
}

bool fs_can_read(const char *path)
{
	return can_open(path, FILE_READ_DATA);
}

bool fs_can_write_in(const char *dir)
{
	return fs_is_dir(dir) && can_open(dir, FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY);
}

int64_t fs_size(const char *path)
{
	struct file_info info;

	return get_info(path, true, &info) && !info.dir ? info.size : -1;
}

/* ERROR_SUCCESS, or why not. */
static DWORD make_dir(const char *path)
{
	wchar_t *wide = wide_path(path);
	DWORD code = CreateDirectoryW(wide, NULL) ? ERROR_SUCCESS : GetLastError();

	free(wide);
	return code;
}

int fs_mkdir(const char *path, struct err *err)
{
	DWORD code = make_dir(path);

	/* Of a drive's root the system does not say that it exists, but that it may not be made. */
	if (code && !fs_is_dir(path))
		return err_set_win32(err, code, "cannot create the directory '%s'", path);
	return 0;
}

int fs_mkdir_all(const char *path, struct err *err)
{
	size_t root = path_root_length(path);
	char *part;
	int rc = 0;

	if (fs_is_dir(path))
		return 0;
	part = xstrdup(path);
	for (char *s = part + root; *s && !rc; s++) {
		char separator = *s;

		if (!path_is_separator(separator))
			continue;
		*s = '\0';
		rc = fs_is_dir(part) ? 0 : fs_mkdir(part, err);
		*s = separator;
	}
	free(part);
	return rc ? rc : fs_mkdir(path, err);
}

int fs_mkdir_new(const char *path, struct err *err)
{
	DWORD code = make_dir(path);

	if (!code)
		return 0;
	if (code == ERROR_ALREADY_EXISTS)
		return err_set(err, ERR_UNSUPPORTED, "'%s' exists already", path);
	return err_set_win32(err, code, "cannot create the directory '%s'", path);
}

/* Scanners of viruses and search indexes open files for a moment as soon as they are written. */
static bool try_again(DWORD code, int *tries)
{
	if ((code != ERROR_ACCESS_DENIED && code != ERROR_SHARING_VIOLATION &&
	     code != ERROR_DIR_NOT_EMPTY) ||
	    *tries == TRIES)
		return false;
	Sleep((DWORD)(10 * ++*tries));
	return true;
}

int fs_rename(const char *from, const char *to, struct err *err)
{
	wchar_t *wide_from = wide_path(from), *wide_to = wide_path(to);
	/* What is refused for good needs no second try. */
	int tries = fs_is_dir(to) && !fs_is_link(to) ? TRIES : 0;
	DWORD code;

	do {
		code = MoveFileExW(wide_from, wide_to,
				   MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
			       ? ERROR_SUCCESS
			       : GetLastError();
	} while (code && try_again(code, &tries));
	free(wide_from);
	free(wide_to);
	return code ? err_set_win32(err, code, "cannot rename '%s' to '%s'", from, to) : 0;
}

/* A file, or what is `dir`: an empty directory or a link to one. */
static DWORD remove_one(const wchar_t *path, bool dir)
{
	DWORD code = ERROR_SUCCESS, attributes;
	int tries = 0;

	do {
		if (dir ? RemoveDirectoryW(path) : DeleteFileW(path))
			return ERROR_SUCCESS;
		code = GetLastError();
		attributes = code == ERROR_ACCESS_DENIED ? GetFileAttributesW(path)
							 : INVALID_FILE_ATTRIBUTES;
		if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_READONLY)
			SetFileAttributesW(path, attributes & ~(DWORD)FILE_ATTRIBUTE_READONLY);
	} while (try_again(code, &tries));
	return code;
}

static bool is_absent(DWORD code)
{
	return code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND;
}

int fs_remove(const char *path, struct err *err)
{
	wchar_t *wide = wide_path(path);
	struct file_info info;
	DWORD code = ERROR_SUCCESS;

	if (!file_info_get(wide, false, &info))
		code = GetLastError();
	else if (info.dir && !info.link)
		code = ERROR_ACCESS_DENIED;
	else
		code = remove_one(wide, info.dir);
	free(wide);
	return code && !is_absent(code) ? err_set_win32(err, code, "cannot remove '%s'", path) : 0;
}

static DWORD remove_below(struct wide_buf *path);

static DWORD remove_entry(struct wide_buf *path, const WIN32_FIND_DATAW *entry)
{
	size_t len = path->nr;
	struct file_info info;
	DWORD code;

	if (!wcscmp(entry->cFileName, L".") || !wcscmp(entry->cFileName, L".."))
		return ERROR_SUCCESS;
	wide_buf_addc(path, L'\\');
	wide_buf_adds(path, entry->cFileName);
	if (!file_info_get(path->v, false, &info))
		code = GetLastError();
	else
		code = info.dir && !info.link ? remove_below(path) : remove_one(path->v, info.dir);
	wide_buf_set_len(path, len);
	return is_absent(code) ? ERROR_SUCCESS : code;
}

/* The directory and all that it holds; links in it go, what they lead to stays. */
static DWORD remove_below(struct wide_buf *path)
{
	size_t len = path->nr;
	DWORD code = ERROR_SUCCESS;
	WIN32_FIND_DATAW entry;
	HANDLE find;

	wide_buf_adds(path, L"\\*");
	find = FindFirstFileExW(path->v, FindExInfoBasic, &entry, FindExSearchNameMatch, NULL, 0);
	wide_buf_set_len(path, len);
	if (find == INVALID_HANDLE_VALUE)
		return GetLastError();
	do {
		code = remove_entry(path, &entry);
	} while (!code && FindNextFileW(find, &entry));
	FindClose(find);
	return code ? code : remove_one(path->v, true);
}

int fs_remove_tree(const char *path, struct err *err)
{
	struct wide_buf buf = WIDE_BUF_INIT;
	wchar_t *wide = wide_path_any_depth(path);
	size_t len = wcslen(wide);
	struct file_info info;
	DWORD code;

	/* With a separator at the end a link would be followed. */
	while (len > 1 && wide[len - 1] == L'\\' && wide[len - 2] != L':')
		len--;
	wide_buf_add(&buf, wide, len);
	free(wide);
	if (!file_info_get(buf.v, false, &info))
		code = GetLastError();
	else
		code = info.dir && !info.link ? remove_below(&buf) : remove_one(buf.v, info.dir);
	wide_buf_release(&buf);
	return code && !is_absent(code) ? err_set_win32(err, code, "cannot remove '%s'", path) : 0;
}

int fs_set_executable(const char *path, struct err *err)
{
	/* Its name says it. */
	if (!fs_exists(path))
		return err_set_win32(err, ERROR_FILE_NOT_FOUND, "cannot make '%s' executable",
				     path);
	return 0;
}

int fs_sync_dir(const char *path, struct err *err)
{
	/* fs_rename() has waited for the disk. */
	if (!fs_is_dir(path))
		return err_set_win32(err, ERROR_PATH_NOT_FOUND, "cannot sync the directory '%s'",
				     path);
	return 0;
}

int64_t fs_free_space(const char *path)
{
	wchar_t *wide;
	ULARGE_INTEGER free_bytes;
	struct file_info info;
	char *dir = NULL;
	bool known;

	if (!get_info(path, true, &info))
		return -1;
	if (!info.dir)
		dir = fs_dirname(path);
	wide = wide_path(dir ? dir : path);
	known = GetDiskFreeSpaceExW(wide, &free_bytes, NULL, NULL);
	free(wide);
	free(dir);
	return known ? (int64_t)free_bytes.QuadPart : -1;
}
