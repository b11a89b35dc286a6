#include "symbol/symbol_cache.h"

#include <stdlib.h>

#include "platform/fs.h"
#include "platform/host.h"
#include "platform/program.h"
#include "util/alloc.h"

/* A directory in that of an environment variable; NULL: it is not set. */
static char *below(const char *variable, const char *dir)
{
	char *base = env_get(variable), *path = base ? fs_join(base, dir) : NULL;

	free(base);
	return path;
}

char *symbol_cache_dir(void)
{
	char *dir = below("STAGETRACE_CACHE", "symbols");

	if (!dir && host_is_windows())
		return below("LOCALAPPDATA", "stagetrace\\symbols");
	if (!dir)
		dir = below("XDG_CACHE_HOME", "stagetrace/symbols");
	return dir ? dir : below("HOME", ".cache/stagetrace/symbols");
}
