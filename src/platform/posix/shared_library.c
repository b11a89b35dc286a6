#include "platform/shared_library.h"

#include <dlfcn.h>
#include <string.h>

int shared_library_load(const struct shared_library *library, struct err *err)
{
	void *loaded = NULL;

	for (const char *const *file = library->files; *file && !loaded; file++)
		loaded = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
	if (!loaded)
		return err_set(err, ERR_UNSUPPORTED, "there is no %s (%s): %s", library->name,
			       library->package, dlerror());
	for (const struct library_function *i = library->functions; i->name; i++) {
		void *found = dlsym(loaded, i->name);

		if (!found)
			return err_set(err, ERR_UNSUPPORTED, "%s has no %s: it is too old",
				       library->name, i->name);
		memcpy(i->where, &found, sizeof(found));
	}
	return 0;
}
