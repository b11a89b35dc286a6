#include "platform/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/fs.h"
#include "util/alloc.h"

/* A name as it is found: the directory that holds it, open, and its last part there. */
struct spot {
	int fd; /* -1: with errno */
	const char *last;
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
	struct spot spot = { open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), name };
	size_t len;

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
	if (spot->fd < 0)
		return errno == ENOTDIR || errno == EINVAL ? BELOW_LINK : BELOW_NOTHING;
	if (fstatat(spot->fd, spot->last, st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? BELOW_NOTHING : BELOW_OTHER;
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

static int refuse(const char *verb, const char *dir, const char *name, enum below_kind kind,
		  struct err *err)
{
	char *path = fs_join(dir, name);

	err_set(err, ERR_UNSUPPORTED, "cannot %s '%s': %s", verb, path,
		kind == BELOW_LINK ? "it is a link, or below one" : "it is not a regular file");
	free(path);
	return -1;
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

FILE *below_open(const char *dir, const char *name, const char *mode, struct err *err)
{
	bool reads = *mode == 'r';
	const char *verb = reads ? "read" : "write";
	int flags = reads          ? O_RDONLY
		    : *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND
				   : O_WRONLY | O_CREAT | O_EXCL;
	struct spot spot = find_spot(dir, name);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	FILE *file = NULL;
	int fd = -1;

	if (kind == BELOW_FILE || (kind == BELOW_NOTHING && spot.fd >= 0))
		fd = open_file(&spot, flags, &st);
	if (fd >= 0 && kind == BELOW_NOTHING)
		give_to_owner(&spot, fd);
	if (fd >= 0)
		file = fdopen(fd, reads ? "rb" : "wb");
	else if (kind == BELOW_FILE || kind == BELOW_NOTHING)
		set_error(verb, dir, name, err);
	else
		refuse(verb, dir, name, kind, err);
	leave(&spot);
	return file;
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

/* Directories opened by O_PATH cannot be synced. */
static int sync_dir(int fd)
{
	int dir = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = dir < 0 || (fsync(dir) && errno != EINVAL) ? -1 : 0;

	if (dir >= 0)
		close(dir);
	return rc;
}

int below_rename(const char *dir, const char *from, const char *to, struct err *err)
{
	struct spot spot = find_spot(dir, to);
	struct stat st;
	enum below_kind kind = look(&spot, &st);
	int rc = 0;

	if (kind != BELOW_FILE && kind != BELOW_NOTHING)
		rc = refuse("replace", dir, to, kind, err);
	else if (spot.fd < 0 || renameat(spot.fd, fs_file_name(from), spot.fd, spot.last) ||
		 sync_dir(spot.fd))
		rc = set_error("write", dir, to, err);
	leave(&spot);
	return rc;
}
