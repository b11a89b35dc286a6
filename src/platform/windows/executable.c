#include "platform/executable.h"

#include <stdlib.h>
#include <windows.h>

#include "platform/windows/wide.h"
#include "util/alloc.h"

/* More than any path has. */
#define PATH_UNITS 32768

char *executable_path(void)
{
	wchar_t *path = xcalloc(PATH_UNITS, sizeof(*path));
	DWORD len = GetModuleFileNameW(NULL, path, PATH_UNITS);
	char *utf8 = len && len < PATH_UNITS ? wide_to_utf8(path) : NULL;

	free(path);
	return utf8;
}
