#include "platform/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "platform/fs.h"
#include "platform/owner.h"
#include "util/alloc.h"

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* Whether it is a link of /proc, which leads to what a process has open, and is no path. */
static bool is_of_proc(const char *path)
{
	char *dir = fs_dirname(path);
	struct statfs fs;
	bool found = !statfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;

	free(dir);
	return found;
}

/* Where a link leads, which the caller frees; NULL with errno: it cannot be read. */
static char *follow(const char *link)
{
	char to[PATH_MAX];
	ssize_t len = readlink(link, to, sizeof(to) - 1);
	char *dir, *path;

	if (len < 0)
		return NULL;
	to[len] = '\0';
	if (to[0] == '/')
		return xstrdup(to);
	dir = fs_dirname(link);
	path = fs_join(dir, to);
	free(dir);
	return path;
}

/* 0, with what the path leads to; else an error number, EPERM: another user chose that. */
static int find_end(const char *path, struct stat *end)
{
	char *at = xstrdup(path), *next;
	int links = 0, rc = 0;

	while (!rc && !(rc = lstat(at, end) ? errno : 0)) {
		/* Only root makes devices, and gives terminals to users. */
		if (!S_ISCHR(end->st_mode) && !owner_trusts(end->st_uid))
			rc = EPERM;
		if (rc || !S_ISLNK(end->st_mode))
			break;
		if (is_of_proc(at)) {
			rc = stat(at, end) ? errno : 0;
			break;
		}
		next = ++links > LINKS_MAX ? NULL : follow(at);
		if (!next)
			rc = links > LINKS_MAX ? ELOOP : errno;
		free(at);
		at = next;
	}
	free(at);
	return rc;
}

bool stream_is_ours(const char *path)
{
	struct stat end;

	return find_end(path, &end) != EPERM;
}

FILE *stream_open(const char *path)
{
	struct stat end, st;
	int fd, errnum = find_end(path, &end);
	FILE *file = NULL;

	if (!errnum && !S_ISFIFO(end.st_mode) && !S_ISCHR(end.st_mode))
		errnum = ENODEV;
	if (errnum) {
		errno = errnum;
		return NULL;
	}
	/* Not until a reader of a FIFO is there, as a shell does. */
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st)) {
		if (st.st_dev == end.st_dev && st.st_ino == end.st_ino)
			file = fdopen(fd, "wb");
		else
			errno = ENODEV;
	}
	if (file)
		return file;
	errnum = errno;
	close(fd);
	errno = errnum;
	return NULL;
}

bool stream_pipe(FILE **from, FILE **to)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	*from = fdopen(fds[0], "rb");
	*to = fdopen(fds[1], "wb");
	if (*from && *to)
		return true;
	for (int i = 0; i < 2; i++) {
		FILE **file = i ? to : from;

		if (*file)
			fclose(*file);
		else
			close(fds[i]);
		*file = NULL;
	}
	return false;
}
