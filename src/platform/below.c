#include "platform/below.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"

#define BLOCK ((size_t)256 * 1024)

static int set_io_error(struct err *err, const char *verb, const char *dir, const char *name)
{
	int errnum = errno ? errno : EIO;
	char *path = fs_join(dir, name);

	err_set_errno(err, errnum, "cannot %s '%s'", verb, path);
	free(path);
	return -1;
}

int below_read(const char *dir, const char *name, int64_t limit, struct strbuf *sb, struct err *err)
{
	FILE *file = below_open(dir, name, "rb", err);
	size_t start = sb->len, got;
	int rc = 0;

	if (!file)
		return -1;
	do {
		strbuf_grow(sb, BLOCK);
		got = fread(sb->buf + sb->len, 1, BLOCK, file);
		strbuf_set_len(sb, sb->len + got);
	} while (got && (int64_t)(sb->len - start) <= limit);
	if (ferror(file)) {
		rc = set_io_error(err, "read", dir, name);
	} else if ((int64_t)(sb->len - start) > limit) {
		char *path = fs_join(dir, name);

		rc = err_set(err, ERR_UNSUPPORTED, "'%s' is larger than %lld bytes", path,
			     (long long)limit);
		free(path);
	}
	fclose(file);
	return rc;
}

int below_read_parts(const char *dir, const char *name,
		     void (*take)(void *data, const char *part, size_t len), void *data,
		     struct err *err)
{
	FILE *file = below_open(dir, name, "rb", err);
	char *part;
	size_t len;
	int rc = 0;

	if (!file)
		return -1;
	part = xmalloc(BLOCK);
	while ((len = fread(part, 1, BLOCK, file)) > 0)
		take(data, part, len);
	if (ferror(file))
		rc = set_io_error(err, "read", dir, name);
	free(part);
	fclose(file);
	return rc;
}

int below_read_end(const char *dir, const char *name, int64_t limit, struct strbuf *sb,
		   struct err *err)
{
	FILE *file = below_open(dir, name, "rb", err);
	int rc = 0;
	size_t got;

	if (!file)
		return -1;
	/* Fails if the file is shorter: then read from its start. */
	if (fs_seek(file, -limit, SEEK_END))
		rewind(file);
	strbuf_grow(sb, (size_t)limit);
	got = fread(sb->buf + sb->len, 1, (size_t)limit, file);
	if (ferror(file))
		rc = set_io_error(err, "read", dir, name);
	else
		strbuf_set_len(sb, sb->len + got);
	fclose(file);
	return rc;
}

/* A new file that becomes `name` by end_new(). One that an interrupted write has left is removed first. */
static FILE *begin_new(const char *dir, const char *name, char **temp, struct err *err)
{
	FILE *file = NULL;

	*temp = xasprintf("%s.partial", name);
	if (!below_remove(dir, *temp, err))
		file = below_open(dir, *temp, "wbx", err);
	if (!file)
		free(*temp);
	return file;
}

static int end_new(FILE *file, char *temp, const char *dir, const char *name, int rc,
		   struct err *err)
{
	char *path = fs_join(dir, temp);
	struct err ignored = ERR_INIT;

	if (!rc)
		rc = fs_sync(file, path, err);
	if (fclose(file) && !rc)
		rc = set_io_error(err, "write", dir, temp);
	if (!rc)
		rc = below_rename(dir, temp, name, err);
	if (rc && below_remove(dir, temp, &ignored))
		err_clear(&ignored);
	free(path);
	free(temp);
	return rc;
}

int below_write(const char *dir, const char *name, const void *data, size_t len, struct err *err)
{
	char *temp;
	FILE *file = begin_new(dir, name, &temp, err);
	int rc = 0;

	if (!file)
		return -1;
	errno = 0;
	if (len && fwrite(data, len, 1, file) != 1)
		rc = set_io_error(err, "write", dir, temp);
	return end_new(file, temp, dir, name, rc, err);
}

static int copy_bytes(FILE *in, const char *from, FILE *out, const char *dir, const char *name,
		      struct err *err)
{
	char *buf = xmalloc(BLOCK);
	int rc = 0;
	size_t got;

	errno = 0;
	while (!rc && (got = fread(buf, 1, BLOCK, in)) > 0) {
		if (fwrite(buf, got, 1, out) != 1)
			rc = set_io_error(err, "write", dir, name);
	}
	if (!rc && ferror(in))
		rc = err_set_errno(err, errno, "cannot read '%s'", from);
	free(buf);
	return rc;
}

int below_copy(const char *from, const char *dir, const char *name, struct err *err)
{
	FILE *in = fs_open(from, "rb"), *out;
	char *temp;
	int rc;

	if (!in)
		return err_set_errno(err, errno, "cannot read '%s'", from);
	out = begin_new(dir, name, &temp, err);
	if (!out) {
		fclose(in);
		return -1;
	}
	rc = copy_bytes(in, from, out, dir, temp, err);
	fclose(in);
	return end_new(out, temp, dir, name, rc, err);
}

static int list_at(const char *dir, const char *name, int depth, struct strvec *files,
		   struct err *err);

static int list_entry(const char *dir, const char *name, int depth, struct strvec *files,
		      struct err *err)
{
	enum below_kind kind = below_find(dir, name);
	char *path;

	if (kind == BELOW_DIR)
		return list_at(dir, name, depth + 1, files, err);
	if (kind == BELOW_FILE)
		strvec_push(files, name);
	/* Nothing: it was removed meanwhile. */
	if (kind == BELOW_FILE || kind == BELOW_NOTHING)
		return 0;
	if (kind == BELOW_UNKNOWN)
		return set_io_error(err, "read", dir, name);
	path = fs_join(dir, name);
	err_set(err, ERR_UNSUPPORTED,
		kind == BELOW_LINK ? "'%s' is a link, which a run may not contain: remove it, or "
				     "put the file itself there"
				   : "'%s' is neither a file nor a directory: remove it",
		path);
	free(path);
	return -1;
}

/* `name` is "" at the top. */
static int list_at(const char *dir, const char *name, int depth, struct strvec *files,
		   struct err *err)
{
	char *path = *name ? fs_join(dir, name) : xstrdup(dir);
	struct strvec names = STRVEC_INIT;
	int rc = depth <= BELOW_DEPTH_MAX
			 ? fs_list(path, &names, err)
			 : err_set(err, ERR_UNSUPPORTED,
				   "'%s' is more than %d directories deep, as no run is: remove it",
				   path, BELOW_DEPTH_MAX);

	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *entry = *name ? xasprintf("%s/%s", name, names.v[i]) : xstrdup(names.v[i]);

		rc = list_entry(dir, entry, depth, files, err);
		free(entry);
	}
	strvec_release(&names);
	free(path);
	return rc;
}

int below_list(const char *dir, struct strvec *files, struct err *err)
{
	int rc = list_at(dir, "", 0, files, err);

	strvec_sort(files);
	return rc;
}
