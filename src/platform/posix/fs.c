#include "platform/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/text.h"

bool fs_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool fs_is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool fs_is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

bool fs_can_read(const char *path)
{
	return !access(path, R_OK);
}

bool fs_can_write_in(const char *dir)
{
	return !access(dir, W_OK | X_OK);
}

int64_t fs_size(const char *path)
{
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : (int64_t)st.st_size;
}

int fs_mkdir(const char *path, struct err *err)
{
	if (mkdir(path, 0700) && !(errno == EEXIST && fs_is_dir(path)))
		return err_set_errno(err, errno, "cannot create the directory '%s'", path);
	return 0;
}

int fs_mkdir_all(const char *path, struct err *err)
{
	char *part;
	int rc = 0;

	if (fs_is_dir(path))
		return 0;
	part = xstrdup(path);
	for (char *s = part + 1; *part && *s && !rc; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		rc = fs_is_dir(part) ? 0 : fs_mkdir(part, err);
		*s = '/';
	}
	free(part);
	return rc ? rc : fs_mkdir(path, err);
}

int fs_mkdir_new(const char *path, struct err *err)
{
	if (!mkdir(path, 0700))
		return 0;
	if (errno == EEXIST)
		return err_set(err, ERR_UNSUPPORTED, "'%s' exists already", path);
	return err_set_errno(err, errno, "cannot create the directory '%s'", path);
}

int fs_rename(const char *from, const char *to, struct err *err)
{
	if (renameat(AT_FDCWD, from, AT_FDCWD, to))
		return err_set_errno(err, errno, "cannot rename '%s' to '%s'", from, to);
	return 0;
}

int fs_remove(const char *path, struct err *err)
{
	if (unlink(path) && errno != ENOENT)
		return err_set_errno(err, errno, "cannot remove '%s'", path);
	return 0;
}

/*
 * Remove the contents of the open directory. It works on descriptors, so a directory that is replaced by a link
 * meanwhile is not followed.
 */
static int remove_entries(int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;
	int rc = 0;

	if (!dir) {
		close(dir_fd);
		return -1;
	}
	while (!rc && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		int fd;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		if (!unlinkat(dirfd(dir), name, 0))
			continue;
		fd = openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			rc = -1;
		else
			rc = remove_entries(fd) || unlinkat(dirfd(dir), name, AT_REMOVEDIR) ? -1
											    : 0;
	}
	closedir(dir);
	return rc;
}

int fs_remove_tree(const char *path, struct err *err)
{
	char *name = xstrdup(path);
	int fd, rc = 0;

	/* With a slash at the end a link would be followed. */
	for (size_t len = strlen(name); len > 1 && name[len - 1] == '/'; len--)
		name[len - 1] = '\0';
	if (unlink(name) && errno != ENOENT) {
		fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || remove_entries(fd) || rmdir(name))
			rc = err_set_errno(err, errno, "cannot remove '%s'", path);
	}
	free(name);
	return rc;
}

int fs_list(const char *path, struct strvec *names, struct err *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return err_set_errno(err, errno, "cannot read the directory '%s'", path);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			strvec_push(names, entry->d_name);
	}
	closedir(dir);
	strvec_sort(names);
	return 0;
}

FILE *fs_open(const char *path, const char *mode)
{
	char *with_cloexec = xasprintf("%se", mode);
	FILE *file = fopen(path, with_cloexec);
	int errnum = errno;

	free(with_cloexec);
	errno = errnum;
	return file;
}

int fs_seek(FILE *file, int64_t offset, int whence)
{
	return fseeko(file, (off_t)offset, whence);
}

int64_t fs_tell(FILE *file)
{
	return ftello(file);
}

int fs_read(const char *path, int64_t limit, struct strbuf *sb, struct err *err)
{
	size_t start = sb->len;
	FILE *file = fs_open(path, "rb");
	size_t got;

	if (!file && errno == ENOENT)
		return err_set(err, ERR_NOT_FOUND, "cannot read '%s': it does not exist", path);
	if (!file)
		return err_set_errno(err, errno, "cannot read '%s'", path);
	do {
		strbuf_grow(sb, 65536);
		got = fread(sb->buf + sb->len, 1, 65536, file);
		strbuf_set_len(sb, sb->len + got);
	} while (got && (int64_t)(sb->len - start) <= limit);
	if (ferror(file)) {
		err_set_errno(err, errno, "cannot read '%s'", path);
		fclose(file);
		return -1;
	}
	fclose(file);
	if ((int64_t)(sb->len - start) > limit)
		return err_set(err, ERR_UNSUPPORTED, "'%s' is larger than %lld bytes", path,
			       (long long)limit);
	return 0;
}

int fs_read_end(const char *path, int64_t limit, struct strbuf *sb, struct err *err)
{
	FILE *file = fs_open(path, "rb");
	int rc = 0;
	size_t got;

	if (!file)
		return err_set_errno(err, errno, "cannot read '%s'", path);
	/* Fails if the file is shorter: then read from its start. */
	if (fs_seek(file, -limit, SEEK_END))
		rewind(file);
	strbuf_grow(sb, (size_t)limit);
	got = fread(sb->buf + sb->len, 1, (size_t)limit, file);
	if (ferror(file))
		rc = err_set_errno(err, errno, "cannot read '%s'", path);
	else
		strbuf_set_len(sb, sb->len + got);
	fclose(file);
	return rc;
}

int fs_sync(FILE *file, const char *path, struct err *err)
{
	/* Pipes and some special files cannot be synced, and need not. */
	if (fflush(file) || (fsync(fileno(file)) && errno != EINVAL && errno != ENOTSUP))
		return err_set_errno(err, errno, "cannot write '%s'", path);
	return 0;
}

int fs_set_executable(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) || chmod(path, st.st_mode | (st.st_mode & 0444) >> 2))
		return err_set_errno(err, errno, "cannot make '%s' executable", path);
	return 0;
}

struct fs_lock {
	int fd;
};

int fs_lock(const char *dir, struct fs_lock **lock, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, errno, "cannot open the directory '%s'", dir);
	/* If the file system does not support locks, continue without one. */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return err_set(err, ERR_UNSUPPORTED, "'%s' is in use by another stagetrace", dir);
	}
	*lock = xmalloc(sizeof(**lock));
	(*lock)->fd = fd;
	return 0;
}

void fs_unlock(struct fs_lock *lock)
{
	if (lock)
		close(lock->fd);
	free(lock);
}

char *fs_identity(const char *dir)
{
	struct statx born;
	struct stat st;

	if (stat(dir, &st))
		return NULL;
	if (statx(AT_FDCWD, dir, 0, STATX_BTIME, &born) || !(born.stx_mask & STATX_BTIME))
		return xasprintf("%llx:%llx", (unsigned long long)st.st_dev,
				 (unsigned long long)st.st_ino);
	return xasprintf(
		"%llx:%llx:%llx", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		(unsigned long long)born.stx_btime.tv_sec * NS_PER_S + born.stx_btime.tv_nsec);
}

bool fs_is_stream(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

int fs_sync_dir(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		rc = err_set_errno(err, errno, "cannot sync the directory '%s'", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A temporary file in the directory of `path`; commit renames it to `path`, and removes it on any failure. */
static FILE *open_temporary(const char *path, char **temp, struct err *err)
{
	FILE *file;

	*temp = xasprintf("%s.partial", path);
	file = fs_open(*temp, "wb");
	if (!file) {
		err_set_errno(err, errno, "cannot write '%s'", *temp);
		free(*temp);
	}
	return file;
}

static int commit_temporary(FILE *file, char *temp, const char *path, int rc, struct err *err)
{
	char *dir = fs_dirname(path);

	if (!rc)
		rc = fs_sync(file, temp, err);
	if (fclose(file) && !rc)
		rc = err_set_errno(err, errno, "cannot write '%s'", temp);
	if (!rc)
		rc = fs_rename(temp, path, err);
	if (rc)
		unlink(temp);
	else
		rc = fs_sync_dir(dir, err);
	free(dir);
	free(temp);
	return rc;
}

int fs_write_atomic(const char *path, const void *data, size_t len, struct err *err)
{
	char *temp;
	FILE *file = open_temporary(path, &temp, err);
	int rc = 0;

	if (!file)
		return -1;
	if (len && fwrite(data, len, 1, file) != 1)
		rc = err_set_errno(err, errno, "cannot write '%s'", temp);
	return commit_temporary(file, temp, path, rc, err);
}

static int copy_bytes(FILE *in, const char *from, FILE *out, const char *to, struct err *err)
{
	char buf[65536];
	size_t got;

	while ((got = fread(buf, 1, sizeof(buf), in)) > 0) {
		if (fwrite(buf, got, 1, out) != 1)
			return err_set_errno(err, errno, "cannot write '%s'", to);
	}
	if (ferror(in))
		return err_set_errno(err, errno, "cannot read '%s'", from);
	return 0;
}

int fs_copy(const char *from, const char *to, struct err *err)
{
	FILE *in = fs_open(from, "rb");
	FILE *out;
	char *temp;
	int rc;

	if (!in)
		return err_set_errno(err, errno, "cannot read '%s'", from);
	out = open_temporary(to, &temp, err);
	if (!out) {
		fclose(in);
		return -1;
	}
	rc = copy_bytes(in, from, out, temp, err);
	fclose(in);
	return commit_temporary(out, temp, to, rc, err);
}

int64_t fs_free_space(const char *path)
{
	struct statvfs st;

	return statvfs(path, &st) ? -1 : (int64_t)st.f_bavail * (int64_t)st.f_frsize;
}

char *fs_absolute(const char *path)
{
	char *resolved = realpath(path, NULL);
	char *copy = xstrdup_or_null(resolved);

	free(resolved);
	return copy;
}

char *fs_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (name[0] == '/' || !len || !strcmp(dir, "."))
		return xstrdup(name);
	return xasprintf(dir[len - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}

char *fs_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

const char *fs_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *fs_find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return fs_is_executable(name) ? xstrdup(name) : NULL;
	while (path && *name) {
		size_t len = strcspn(path, ":");
		char *dir = len ? xstrndup(path, len) : xstrdup(".");
		char *candidate = xasprintf("%s/%s", dir, name);

		free(dir);
		if (fs_is_executable(candidate))
			return candidate;
		free(candidate);
		path = path[len] ? path + len + 1 : NULL;
	}
	return NULL;
}

char *fs_temp_dir(struct err *err)
{
	const char *base = getenv("TMPDIR");
	char *dir = xasprintf("%s/stagetrace.XXXXXX", base && *base ? base : "/tmp");

	if (!mkdtemp(dir)) {
		err_set_errno(err, errno, "cannot create a temporary directory '%s'", dir);
		free(dir);
		return NULL;
	}
	return dir;
}
