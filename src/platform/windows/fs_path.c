#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/windows/file_info.h"
#include "platform/windows/path.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Without the prefix that lifts the limit of length: programs do not expect it. */
static char *to_plain_path(const wchar_t *path)
{
	char *rest, *plain;

	if (!wcsncmp(path, L"\\\\?\\UNC\\", 8)) {
		rest = wide_to_utf8(path + 8);
		plain = xasprintf("\\\\%s", rest);
		free(rest);
		return plain;
	}
	return wide_to_utf8(!wcsncmp(path, L"\\\\?\\", 4) ? path + 4 : path);
}

/* With links resolved, or where the system does not tell, without. NULL where even that fails. */
static wchar_t *get_final_path(HANDLE file, const wchar_t *path)
{
	DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
	bool final = size > 0;
	wchar_t *full;

	if (!final)
		size = GetFullPathNameW(path, 0, NULL, NULL);
	full = xreallocarray(NULL, (size_t)size + 1, sizeof(*full));
	if (final)
		size = GetFinalPathNameByHandleW(file, full, size + 1, FILE_NAME_NORMALIZED);
	else
		size = GetFullPathNameW(path, size + 1, full, NULL);
	if (!size) {
		free(full);
		return NULL;
	}
	return full;
}

char *fs_absolute(const char *path)
{
	wchar_t *wide = wide_path(path), *full;
	HANDLE file = *wide ? file_info_open(wide, 0) : INVALID_HANDLE_VALUE;
	char *plain = NULL;

	if (file != INVALID_HANDLE_VALUE) {
		full = get_final_path(file, wide);
		CloseHandle(file);
		if (full)
			plain = to_plain_path(full);
		free(full);
	}
	free(wide);
	return plain;
}

/*
 * By the separator that `dir` is written with; "/" where it has none. Paths of another system, out of its recordings,
 * keep their own, as do those of MSYS2.
 */
char *fs_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);
	bool backslash = strchr(dir, '\\') || (path_root_length(dir) && !strchr(dir, '/'));

	if (path_root_length(name) || !len || !strcmp(dir, "."))
		return xstrdup(name);
	if (path_is_separator(dir[len - 1]) || (len == 2 && dir[1] == ':'))
		return xasprintf("%s%s", dir, name);
	return xasprintf(backslash ? "%s\\%s" : "%s/%s", dir, name);
}

char *fs_dirname(const char *path)
{
	size_t root = path_root_length(path), end = strlen(path);

	while (end > root && !path_is_separator(path[end - 1]))
		end--;
	if (end == root)
		return root ? xstrndup(path, root) : xstrdup(".");
	return xstrndup(path, end - 1 > root ? end - 1 : root ? root : end - 1);
}

const char *fs_file_name(const char *path)
{
	const char *root = path + path_root_length(path), *name = path + strlen(path);

	while (name > root && !path_is_separator(name[-1]))
		name--;
	return name;
}

/* `path`, or with one of the endings that may be left out, in the order that the user has set. Takes `path` over. */
static char *try_endings(char *path, const char *endings)
{
	if (fs_is_executable(path))
		return path;
	while (*endings) {
		size_t len = strcspn(endings, ";");
		char *candidate = xasprintf("%s%.*s", path, (int)len, endings);

		if (len && fs_is_executable(candidate)) {
			free(path);
			return candidate;
		}
		free(candidate);
		endings += len + (endings[len] == ';');
	}
	free(path);
	return NULL;
}

static char *find_along(const char *path, const char *name, const char *endings)
{
	char *found = NULL;

	while (path && !found) {
		size_t len = strcspn(path, ";");
		/* A directory with ";" in it is in quotes; nobody has one. */
		bool quoted = len > 1 && path[0] == '"' && path[len - 1] == '"';
		char *dir = quoted ? xstrndup(path + 1, len - 2) : xstrndup(path, len);

		/* An empty one would be the directory that we happen to be in. */
		if (*dir)
			found = try_endings(fs_join(dir, name), endings);
		free(dir);
		path = path[len] ? path + len + 1 : NULL;
	}
	return found;
}

char *fs_find_program(const char *name)
{
	char *path = wide_getenv("PATH"), *endings = wide_getenv("PATHEXT"), *found;

	if (!endings)
		endings = xstrdup(".COM;.EXE;.BAT;.CMD");
	if (!*name)
		found = NULL;
	else if (strpbrk(name, "/\\:"))
		found = try_endings(xstrdup(name), endings);
	else
		found = find_along(path, name, endings);
	free(path);
	free(endings);
	return found;
}

char *fs_temp_dir(struct err *err)
{
	wchar_t base[MAX_PATH + 2] = L"";
	DWORD code = ERROR_ALREADY_EXISTS;
	char *folder, *dir = NULL;

	GetTempPathW(ARRAY_SIZE(base), base);
	folder = wide_to_utf8(base);
	for (int i = 0; i < 100 && code == ERROR_ALREADY_EXISTS; i++) {
		wchar_t *wide;

		free(dir);
		dir = xasprintf("%sstagetrace.%lx%llx", folder, GetCurrentProcessId(),
				(unsigned long long)clock_now() & 0xffffff);
		wide = wide_path(dir);
		code = CreateDirectoryW(wide, NULL) ? ERROR_SUCCESS : GetLastError();
		free(wide);
	}
	free(folder);
	if (!code)
		return dir;
	err_set_win32(err, code, "cannot create a temporary directory '%s'", dir);
	free(dir);
	return NULL;
}
