/*
 * A part that is replaced by a link between the look and the open is followed: the functions of Windows that open relative
 * to a handle are not public.
 */
#include "platform/below.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"

/* Windows counts 100 ns since 1601. */
#define TICKS_PER_S INT64_C(10000000)
#define EPOCH_S     INT64_C(11644473600)

static bool is_plain(const char *part, size_t len)
{
	return len && !(len <= 2 && !strncmp(part, "..", len)) && !memchr(part, ':', len) &&
	       !memchr(part, '\\', len);
}

static enum below_kind kind_of(const char *path)
{
	if (!fs_exists(path))
		return BELOW_NOTHING;
	if (fs_is_link(path))
		return BELOW_LINK;
	return fs_is_dir(path) ? BELOW_DIR : fs_size(path) >= 0 ? BELOW_FILE : BELOW_OTHER;
}

enum below_kind below_find(const char *dir, const char *name)
{
	enum below_kind kind = BELOW_DIR;

	for (const char *part = name; kind == BELOW_DIR;) {
		size_t len = strcspn(part, "/");
		char *upto = xstrndup(name, (size_t)(part - name) + len), *path;

		if (!is_plain(part, len)) {
			free(upto);
			return BELOW_LINK;
		}
		path = fs_join(dir, upto);
		kind = kind_of(path);
		free(path);
		free(upto);
		if (!part[len])
			return kind;
		part += len + 1;
	}
	return kind == BELOW_FILE || kind == BELOW_OTHER ? BELOW_NOTHING : kind;
}

int64_t below_size(const char *dir, const char *name)
{
	char *path = fs_join(dir, name);
	int64_t size = below_find(dir, name) == BELOW_FILE ? fs_size(path) : -1;

	free(path);
	return size;
}

int64_t below_time(const char *dir, const char *name)
{
	char *path = fs_join(dir, name);
	wchar_t *wide = wide_path(path);
	WIN32_FILE_ATTRIBUTE_DATA data;
	bool known = below_find(dir, name) == BELOW_FILE &&
		     GetFileAttributesExW(wide, GetFileExInfoStandard, &data);
	int64_t ticks = 0;

	if (known)
		ticks = (int64_t)data.ftLastWriteTime.dwHighDateTime << 32 |
			data.ftLastWriteTime.dwLowDateTime;
	free(wide);
	free(path);
	return known ? ticks / TICKS_PER_S - EPOCH_S : -1;
}

/* Whether it is a regular file or nothing at all; else an error. */
static bool may_touch(const char *verb, const char *dir, const char *name, struct err *err)
{
	enum below_kind kind = below_find(dir, name);
	char *path;

	if (kind == BELOW_FILE || kind == BELOW_NOTHING)
		return true;
	path = fs_join(dir, name);
	err_set(err, ERR_UNSUPPORTED, "cannot %s '%s': %s", verb, path,
		kind == BELOW_LINK ? "it is a link, or below one" : "it is not a regular file");
	free(path);
	return false;
}

FILE *below_open(const char *dir, const char *name, const char *mode, struct err *err)
{
	const char *verb = *mode == 'r' ? "read" : "write";
	char *path = fs_join(dir, name);
	FILE *file = NULL;

	if (may_touch(verb, dir, name, err)) {
		file = fs_open(path, mode);
		if (!file && errno == ENOENT)
			err_set(err, ERR_NOT_FOUND, "cannot %s '%s': it does not exist", verb,
				path);
		else if (!file)
			err_set_errno(err, errno, "cannot %s '%s'", verb, path);
	}
	free(path);
	return file;
}

FILE *below_create(const char *dir, const char *name, struct err *err)
{
	return below_open(dir, name, "wbx", err);
}

int below_mkdir(const char *dir, const char *name, struct err *err)
{
	char *path = fs_join(dir, name);
	int rc = 0;

	if (below_find(dir, name) != BELOW_DIR)
		rc = may_touch("create the directory", dir, name, err) ? fs_mkdir(path, err) : -1;
	free(path);
	return rc;
}

int below_remove(const char *dir, const char *name, struct err *err)
{
	char *path = fs_join(dir, name);
	int rc = may_touch("remove", dir, name, err) ? fs_remove(path, err) : -1;

	free(path);
	return rc;
}

int below_rename(const char *dir, const char *from, const char *to, struct err *err)
{
	char *old = fs_join(dir, from), *path = fs_join(dir, to);
	int rc = may_touch("replace", dir, to, err) ? fs_rename(old, path, err) : -1;

	free(path);
	free(old);
	return rc;
}
