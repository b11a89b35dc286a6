#include <stdlib.h>

#include "platform/fs.h"
#include "util/alloc.h"

/* Depth is limited, because of mounts that form a loop; a run directory is two levels deep. */
#define DEPTH_MAX 32

static int list_below(const char *root, const char *below, int depth, struct strvec *files,
		      struct err *err)
{
	char *path = *below ? xasprintf("%s/%s", root, below) : xstrdup(root);
	struct strvec names = STRVEC_INIT;
	int rc = depth > DEPTH_MAX ? 0 : fs_list(path, &names, err);

	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *name = *below ? xasprintf("%s/%s", below, names.v[i]) : xstrdup(names.v[i]);
		char *full = xasprintf("%s/%s", root, name);

		if (fs_is_dir(full) && !fs_is_link(full))
			rc = list_below(root, name, depth + 1, files, err);
		else if (fs_size(full) >= 0)
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

	strvec_sort(files);
	return rc;
}
