#include "platform/shared_library.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/windows/wide.h"

int shared_library_load(const struct shared_library *library, struct err *err)
{
	HMODULE loaded = NULL;

	for (const char *const *file = library->files; *file && !loaded; file++) {
		wchar_t *name = wide_from_utf8(*file);

		loaded = LoadLibraryExW(name, NULL,
					LOAD_LIBRARY_SEARCH_APPLICATION_DIR |
						LOAD_LIBRARY_SEARCH_SYSTEM32);
		free(name);
	}
	if (!loaded)
		return err_set(err, ERR_UNSUPPORTED, "there is no %s beside this program (%s)",
			       library->name, library->package);
	for (const struct library_function *i = library->functions; i->name; i++) {
		FARPROC found = GetProcAddress(loaded, i->name);

		if (!found)
			return err_set(err, ERR_UNSUPPORTED, "%s has no %s: it is too old",
				       library->name, i->name);
		memcpy(i->where, &found, sizeof(found));
	}
	return 0;
}
