#include "platform/owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/below.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

/* The number in a variable that sudo sets; -1: this is no sudo. */
static int64_t sudo_number(const char *name)
{
	const char *text = getenv(name);
	int64_t number = -1;

	if (geteuid() || !text || !text_parse_int(text, 0, INT32_MAX, &number))
		return -1;
	return number;
}

struct owner owner_in(const char *dir)
{
	struct owner owner = { false, sudo_number("SUDO_UID"), sudo_number("SUDO_GID") };
	char *at = xstrdup(dir);
	struct stat st;

	while (stat(at, &st) && strcmp(at, "/") && strcmp(at, ".")) {
		char *above = fs_dirname(at);

		free(at);
		at = above;
	}
	owner.given = owner.user > 0 && owner.group >= 0 && !stat(at, &st) &&
		      st.st_uid == (uid_t)owner.user;
	free(at);
	return owner;
}

char *owner_name(const char *path)
{
	struct stat st;
	struct passwd *user = stat(path, &st) ? NULL : getpwuid(st.st_uid);

	return xstrdup_or_null(user ? user->pw_name : NULL);
}

bool owner_is_ours(const char *path)
{
	struct stat st;

	return !stat(path, &st) &&
	       (st.st_uid == geteuid() || (int64_t)st.st_uid == sudo_number("SUDO_UID"));
}

bool owner_trusts(int64_t user)
{
	return !user || user == (int64_t)geteuid() || user == sudo_number("SUDO_UID");
}

static bool is_theirs(const char *path, bool dir_of_many)
{
	struct stat st;

	if (lstat(path, &st) || S_ISLNK(st.st_mode) || !owner_trusts(st.st_uid))
		return false;
	/* In such a directory nobody can rename or remove what is another's. */
	if (dir_of_many && S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX)
		return true;
	/* Many users have a group of their own, and directories that it may write. */
	if (geteuid() && st.st_gid == getegid())
		return !(st.st_mode & S_IWOTH);
	return !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool owner_alone_changes(const char *path)
{
	char *at = fs_absolute(path);
	struct stat st;
	bool theirs = at && !lstat(path, &st) && !S_ISLNK(st.st_mode) && is_theirs(at, false);

	while (theirs && strcmp(at, "/") != 0) {
		char *above = fs_dirname(at);

		free(at);
		at = above;
		theirs = is_theirs(at, true);
	}
	free(at);
	return theirs;
}

static int give(int fd, const struct stat *st, const struct owner *owner, int mode)
{
	mode_t bits = (mode_t)mode;

	if (!S_ISDIR(st->st_mode) && (!S_ISREG(st->st_mode) || st->st_nlink != 1))
		return 0;
	if (S_ISDIR(st->st_mode) || st->st_mode & S_IXUSR)
		bits |= (bits & 0444) >> 2;
	if (owner->given && fchown(fd, (uid_t)owner->user, (gid_t)owner->group))
		return -1;
	return mode < 0 ? 0 : fchmod(fd, bits);
}

/* Anything but files and directories is not opened, and -1 with errno 0. */
static int open_at(int dir, const char *name, struct stat *st)
{
	int fd;

	errno = 0;
	if (fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)))
		return -1;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, st)) {
		close(fd);
		return -1;
	}
	return fd;
}

struct giving {
	const struct owner *owner;
	int mode;
	const char *const *secret;
};

static bool is_secret(const struct giving *giving, const char *name)
{
	for (const char *const *secret = giving->secret; *secret; secret++) {
		if (!strcmp(*secret, name))
			return true;
	}
	return false;
}

/* `fd` is closed. A directory is given last: its new owner can change what is in it. */
static int give_tree(int fd, const struct stat *st, const struct giving *giving, int depth)
{
	DIR *dir = S_ISDIR(st->st_mode) ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int rc = S_ISDIR(st->st_mode) && !dir ? -1 : 0;

	if (S_ISDIR(st->st_mode) && depth > BELOW_DEPTH_MAX) {
		errno = ELOOP;
		rc = -1;
	}
	while (dir && !rc && (entry = readdir(dir))) {
		struct stat below;
		int next;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		next = open_at(fd, entry->d_name, &below);
		if (next < 0) {
			rc = errno ? -1 : 0;
		} else if (!depth && is_secret(giving, entry->d_name)) {
			rc = give(next, &below, giving->owner, 0600);
			close(next);
		} else {
			rc = give_tree(next, &below, giving, depth + 1);
		}
	}
	if (!rc)
		rc = give(fd, st, giving->owner, giving->mode);
	if (dir)
		closedir(dir);
	else
		close(fd);
	return rc;
}

static int set_error(const char *path, struct err *err)
{
	return err_set_errno(err, errno, "cannot set the owner and permissions of '%s'", path);
}

int owner_give(const char *path, const struct owner *owner, int mode, struct err *err)
{
	struct stat st;
	int fd = open_at(AT_FDCWD, path, &st), rc;

	if (fd < 0)
		return errno ? set_error(path, err) : 0;
	rc = give(fd, &st, owner, mode) ? set_error(path, err) : 0;
	close(fd);
	return rc;
}

int owner_give_tree(const char *dir, const struct owner *owner, int mode, const char *const *secret,
		    struct err *err)
{
	const struct giving giving = { owner, mode, secret };
	struct stat st;
	int fd = open_at(AT_FDCWD, dir, &st);

	if (fd < 0)
		return errno ? set_error(dir, err) : 0;
	return give_tree(fd, &st, &giving, 0) ? set_error(dir, err) : 0;
}
