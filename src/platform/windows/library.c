#include "platform/windows/library.h"

#include <string.h>
#include <windows.h>

bool library_function(const wchar_t *library, const char *name, void *function, size_t size)
{
	HMODULE module = LoadLibraryExW(library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
	FARPROC found = module ? GetProcAddress(module, name) : NULL;

	memcpy(function, &found, size);
	return found;
}
