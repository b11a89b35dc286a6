#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/windows/file_info.h"
#include "platform/windows/path.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(struct strvec *names)
{
	if (names->nr)
		qsort(names->v, names->nr, sizeof(*names->v), by_name);
}

/* The root of an empty drive has not even ".". */
static DWORD list(const char *path, struct strvec *names)
{
	size_t len = strlen(path);
	char *pattern = xasprintf(len && path_is_separator(path[len - 1]) ? "%s*" : "%s/*", path);
	wchar_t *wide = wide_path(pattern);
	WIN32_FIND_DATAW entry;
	HANDLE find = FindFirstFileExW(wide, FindExInfoBasic, &entry, FindExSearchNameMatch, NULL,
				       FIND_FIRST_EX_LARGE_FETCH);
	DWORD code = GetLastError();

	free(wide);
	free(pattern);
	if (find == INVALID_HANDLE_VALUE)
		return code == ERROR_FILE_NOT_FOUND && fs_is_dir(path) ? ERROR_SUCCESS : code;
	do {
		if (wcscmp(entry.cFileName, L".") && wcscmp(entry.cFileName, L".."))
			strvec_push_nodup(names, wide_to_utf8(entry.cFileName));
	} while (FindNextFileW(find, &entry));
	code = GetLastError();
	FindClose(find);
	return code == ERROR_NO_MORE_FILES ? ERROR_SUCCESS : code;
}

int fs_list(const char *path, struct strvec *names, struct err *err)
{
	DWORD code = *path ? list(path, names) : ERROR_PATH_NOT_FOUND;

	if (code)
		return err_set_win32(err, code, "cannot read the directory '%s'", path);
	sort_names(names);
	return 0;
}

static bool get_info(const char *path, bool follow, struct file_info *info)
{
	wchar_t *wide = wide_path(path);
	bool there = file_info_get(wide, follow, info);

	free(wide);
	return there;
}

/* Depth is bounded: a run directory is two levels deep, and a loop of mounts must not end us. */
static int list_below(const char *root, const char *below, int depth, struct strvec *files,
		      struct err *err)
{
	char *path = *below ? xasprintf("%s/%s", root, below) : xstrdup(root);
	struct strvec names = STRVEC_INIT;
	int rc = depth > 32 ? 0 : fs_list(path, &names, err);

	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *name = *below ? xasprintf("%s/%s", below, names.v[i]) : xstrdup(names.v[i]);
		char *full = xasprintf("%s/%s", root, name);
		struct file_info info;

		if (get_info(full, false, &info) && info.dir && !info.link)
			rc = list_below(root, name, depth + 1, files, err);
		else if (get_info(full, true, &info) && !info.dir)
			strvec_push(files, name);
		free(full);
		free(name);
	}
	strvec_release(&names);
	free(path);
	return rc;
}

int fs_list_tree(const char *path, struct strvec *files, struct err *err)
{
	int rc = list_below(path, "", 0, files, err);

	sort_names(files);
	return rc;
}
