#include "config/shipped.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/program.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define INSTALLED "/share/stagetrace"

static const char *const dirs[] = { ".", ".." INSTALLED, "..", "../.." };

char *shipped_find(const char *name)
{
	char *program = executable_path(), *dir = program ? fs_dirname(program) : NULL;
	char *found = NULL;

	for (size_t i = 0; dir && !found && i < ARRAY_SIZE(dirs); i++) {
		char *path = xasprintf("%s/%s/%s", dir, dirs[i], name);

		found = fs_absolute(path);
		free(path);
	}
	free(dir);
	free(program);
	return found;
}

char *shipped_prefix(void)
{
	static const char end[] = INSTALLED "/" SHIPPED_CONFIGS;
	char *path = shipped_find(SHIPPED_CONFIGS);

	if (path && text_ends_with(path, end)) {
		path[strlen(path) - strlen(end)] = '\0';
		return path;
	}
	free(path);
	return NULL;
}

char *shipped_find_config(const char *name)
{
	char *path, *found;

	if (strpbrk(name, "/\\") || !text_ends_with(name, ".ini") || fs_exists(name))
		return xstrdup(name);
	path = xasprintf(SHIPPED_CONFIGS "/%s", name);
	found = shipped_find(path);
	free(path);
	return found ? found : xstrdup(name);
}
