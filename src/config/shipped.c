#include "config/shipped.h"

#include <stdlib.h>

#include "platform/program.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

static const char *const folders[] = { ".", "../share/stagetrace", "..", "../.." };

char *shipped_find(const char *name)
{
	char *program = executable_path(), *dir = program ? fs_dirname(program) : NULL;
	char *found = NULL;

	for (size_t i = 0; dir && !found && i < ARRAY_SIZE(folders); i++) {
		char *path = xasprintf("%s/%s/%s", dir, folders[i], name);

		found = fs_absolute(path);
		free(path);
	}
	free(dir);
	free(program);
	return found;
}
