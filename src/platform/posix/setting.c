#include "platform/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/fs.h"
#include "util/text.h"

#define VALUE_MAX 4096

/* Directory with registry values, one file for each: to test on Linux the code that records on Windows. */
#define REGISTRY "STAGETRACE_REGISTRY"

#define NO_VALUE "none"

/* The file that stands for a registry value; NULL: the name is not one, or there is no such directory. */
static char *find_stand_in(const char *name)
{
	const char *dir = getenv(REGISTRY);
	char *path;

	if (!dir || !*dir || !text_starts_with(name, "HKLM\\") || strchr(name, '/'))
		return NULL;
	path = fs_join(dir, name);
	for (char *s = path; *s; s++) {
		if (*s == '\\')
			*s = '%';
	}
	return path;
}

static int write_stand_in(const char *path, const char *value, struct err *err)
{
	if (strcmp(value, NO_VALUE) != 0)
		return fs_write_atomic(path, value, strlen(value), err);
	return fs_exists(path) ? fs_remove(path, err) : 0;
}

static int read_stand_in(const char *path, struct strbuf *value, struct err *err)
{
	if (fs_exists(path))
		return fs_read(path, VALUE_MAX, value, err);
	strbuf_adds(value, NO_VALUE);
	return 0;
}

int setting_read(const char *name, struct strbuf *value, struct err *err)
{
	size_t before = value->len;
	char *stand_in = find_stand_in(name);
	int rc;

	if (stand_in) {
		rc = read_stand_in(stand_in, value, err);
		free(stand_in);
		return rc;
	}
	if (fs_read(name, VALUE_MAX, value, err))
		return -1;
	strbuf_set_len(value, before + strcspn(value->buf + before, "\n"));
	return 0;
}

int setting_write(const char *name, const char *value, struct err *err)
{
	char *stand_in = find_stand_in(name);
	int fd, rc = 0;

	if (stand_in) {
		rc = write_stand_in(stand_in, value, err);
		free(stand_in);
		return rc;
	}
	fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		rc = err_set_errno(err, errno, "cannot write '%s' to '%s'", value, name);
	if (fd >= 0)
		close(fd);
	return rc;
}
