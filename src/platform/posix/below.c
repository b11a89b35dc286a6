#include "platform/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/fs.h"
#include "platform/posix/sparse.h"
#include "util/alloc.h"

/* A name as it is found: the directory that holds it, open, and its last part there. */
struct spot {
	int fd; /* -1: with errno */
	const char *last;
	bool found_dir; /* what failed is below it */
};

static bool is_plain(const char *part, size_t len)
{
	return len && !(len <= 2 && !strncmp(part, "..", len));
}

/* Enter the directory `part` of `fd`, which is closed. A link is refused with ENOTDIR. */
static int enter(int fd, const char *part, size_t len)
{
	char *name = xstrndup(part, len);
	int next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), errnum = errno;

	close(fd);
	free(name);
	errno = errnum;
	return next;
}

static struct spot find_spot(const char *dir, const char *name)
{
	struct spot spot = { open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), name, false };
	size_t len;

	spot.found_dir = spot.fd >= 0;
	while (spot.fd >= 0 && spot.last[len = strcspn(spot.last, "/")] &&
	       is_plain(spot.last, len)) {
		spot.fd = enter(spot.fd, spot.last, len);
		spot.last += len + 1;
	}
	if (spot.fd >= 0 && !is_plain(spot.last, strcspn(spot.last, "/"))) {
		close(spot.fd);
		spot.fd = -1;
		errno = EINVAL;
	}
	return spot;
}

static void leave(const struct spot *spot)
{
	int errnum = errno;

	if (spot->fd >= 0)
		close(spot->fd);
	errno = errnum;
}

static enum below_kind kind_of(const struct stat *st)
{
	return S_ISREG(st->st_mode)   ? BELOW_FILE
	       : S_ISDIR(st->st_mode) ? BELOW_DIR
	       : S_ISLNK(st->st_mode) ? BELOW_LINK
				      : BELOW_OTHER;
}

static enum below_kind look(const struct spot *spot, struct stat *st)
{
	/* A part on the way is a link, or a file. */
	if (spot->fd < 0 && spot->found_dir && (errno == ENOTDIR || errno == EINVAL))
		return BELOW_LINK;
	if (spot->fd < 0 || fstatat(spot->fd, spot->last, st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? BELOW_NOTHING : BELOW_UNKNOWN;
	return kind_of(st);
}

static enum below_kind look_at(const char *dir, const char *name, struct stat *st)
{
	struct spot spot = find_spot(dir, name);
	enum below_kind kind = look(&spot, st);

	leave(&spot);
	return kind;
}

enum below_kind below_find(const char *dir, const char *name)
{
	struct stat st;

	return look_at(dir, name, &st);
}

int64_t below_size(const char *dir, const char *name)
{
	struct stat st;

	return look_at(dir, name, &st) == BELOW_FILE ? (int64_t)st.st_size : -1;
}

int64_t below_time(const char *dir, const char *name)
{
	struct stat st;

	return look_at(dir, name, &st) == BELOW_FILE ? (int64_t)st.st_mtime : -1;
}

static int set_error(const char *verb, const char *dir, const char *name, struct err *err)
{
	int errnum = errno;
	char *path = fs_join(dir, name);

	if (errnum == ENOENT)
		err_set(err, ERR_NOT_FOUND, "cannot %s '%s': it does not exist", verb, path);
	else
		err_set_errno(err, errnum, "cannot %s '%s'", verb, path);
	free(path);
	return -1;
}

static int refuse(const char *verb, const char *dir, const char *name, enum below_kind kind,
		  struct err *err)
{
	char *path;

	if (kind == BELOW_UNKNOWN)
		return set_error(verb, dir, name, err);
	path = fs_join(dir, name);
	err_set(err, ERR_UNSUPPORTED, "cannot %s '%s': %s", verb, path,
		kind == BELOW_LINK ? "it is a link, or below one" : "it is not a regular file");
	free(path);
	return -1;
}

/* So that a user can read what root has made in a run of that user. */
static void give_to_owner(const struct spot *spot, int fd)
{
	struct stat st;

	if (!geteuid() && !fstat(spot->fd, &st) && st.st_uid && fchown(fd, st.st_uid, st.st_gid))
		errno = 0; /* a file system without owners */
}

/* Looked at before: opening a device may have effects. Looked at again: it may have been replaced. */
static int open_file(const struct spot *spot, int flags, struct stat *st)
{
	int fd = openat(spot->fd, spot->last,
			flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		errno = ELOOP;
		return -1;
	}
	return fd;
}

static int check_holes(int fd, const struct stat *st, const char *dir, const char *name,
		       struct err *err)
{
	char *path = fs_join(dir, name);
	int rc = sparse_check(fd, st, path, err);

	free(path);
	return rc;
}

/* What did not exist is made by this call, or it fails. */
static int flags_of(const char *mode, enum below_kind kind)
{
	if (*mode == 'r')
		return O_RDONLY;
	if (*mode == 'a' && kind != BELOW_NOTHING)
		return O_WRONLY | O_APPEND;
	return O_WRONLY | O_CREAT | O_EXCL | (*mode == 'a' ? O_APPEND : 0);
}

static FILE *open_stream(const char *dir, const char *name, const char *mode, bool give,
			 struct err *err)
{
	const char *verb = *mode == 'r' ? "read" : "write";
	struct spot spot = find_spot(dir, name);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	FILE *file = NULL;
	int fd = -1;

	if (kind == BELOW_FILE || (kind == BELOW_NOTHING && spot.fd >= 0))
		fd = open_file(&spot, flags_of(mode, kind), &st);
	if (fd >= 0 && kind == BELOW_NOTHING && give)
		give_to_owner(&spot, fd);
	if (fd >= 0 && *mode == 'r' && check_holes(fd, &st, dir, name, err)) {
		close(fd);
		leave(&spot);
		return NULL;
	}
	if (fd >= 0)
		file = fdopen(fd, *mode == 'r' ? "rb" : "wb");
	if (!file && (kind == BELOW_FILE || kind == BELOW_NOTHING))
		set_error(verb, dir, name, err);
	else if (!file)
		refuse(verb, dir, name, kind, err);
	if (!file && fd >= 0)
		close(fd);
	leave(&spot);
	return file;
}

FILE *below_open(const char *dir, const char *name, const char *mode, struct err *err)
{
	return open_stream(dir, name, mode, true, err);
}

FILE *below_create(const char *dir, const char *name, struct err *err)
{
	return open_stream(dir, name, "wbx", false, err);
}

static int make_dir(const struct spot *spot)
{
	int fd;

	if (spot->fd < 0 || mkdirat(spot->fd, spot->last, 0700))
		return -1;
	fd = openat(spot->fd, spot->last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	give_to_owner(spot, fd);
	close(fd);
	return 0;
}

int below_mkdir(const char *dir, const char *name, struct err *err)
{
	struct spot spot = find_spot(dir, name);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	int rc = 0;

	if (kind == BELOW_NOTHING && make_dir(&spot))
		rc = set_error("create the directory", dir, name, err);
	else if (kind != BELOW_NOTHING && kind != BELOW_DIR)
		rc = refuse("create the directory", dir, name, kind, err);
	leave(&spot);
	return rc;
}

int below_remove(const char *dir, const char *name, struct err *err)
{
	struct spot spot = find_spot(dir, name);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	int rc = 0;

	if (kind == BELOW_FILE && unlinkat(spot.fd, spot.last, 0) && errno != ENOENT)
		rc = set_error("remove", dir, name, err);
	else if (kind != BELOW_FILE && kind != BELOW_NOTHING)
		rc = refuse("remove", dir, name, kind, err);
	leave(&spot);
	return rc;
}

/*
 * A failure is not reported: the file has its name already, and that of a whole file. Directories opened by O_PATH cannot
 * be synced.
 */
static void sync_dir(int fd)
{
	int dir = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0) {
		fsync(dir);
		close(dir);
	}
}

int below_rename(const char *dir, const char *from, const char *to, struct err *err)
{
	struct spot spot = find_spot(dir, to);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	int rc = 0;

	if (kind != BELOW_FILE && kind != BELOW_NOTHING)
		rc = refuse("replace", dir, to, kind, err);
	else if (spot.fd < 0 || renameat(spot.fd, fs_file_name(from), spot.fd, spot.last))
		rc = set_error("rename", dir, from, err);
	else
		sync_dir(spot.fd);
	leave(&spot);
	return rc;
}
