#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/windows/path.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

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
	strvec_sort(names);
	return 0;
}
