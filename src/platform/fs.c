#include "platform/fs.h"

#include <errno.h>
#include <stdlib.h>

#include "util/alloc.h"

#define PART_SIZE ((size_t)256 * 1024)

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

int fs_read_parts(const char *path, void (*take)(void *data, const char *part, size_t len),
		  void *data, struct err *err)
{
	FILE *file = fs_open(path, "rb");
	char *part;
	size_t len;
	int rc = 0;

	if (!file)
		return err_set_errno(err, errno, "cannot open '%s'", path);
	part = xmalloc(PART_SIZE);
	while ((len = fread(part, 1, PART_SIZE, file)) > 0)
		take(data, part, len);
	if (ferror(file))
		rc = err_set_errno(err, errno, "cannot read '%s'", path);
	free(part);
	fclose(file);
	return rc;
}
