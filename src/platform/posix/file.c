#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cost.h"
#include "platform/posix/sparse.h"
#include "util/alloc.h"

struct file_at {
	char *path;
	int fd;
};

/* Returns the number of bytes read, smaller than `nr` only at the end of the file; -1 with errno. */
static ssize_t read_at(int fd, uint64_t offset, void *to, size_t nr)
{
	size_t done = 0;

	while (done < nr) {
		ssize_t got = pread(fd, (char *)to + done, nr - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/*
 * Open a regular file for reading; -1 with `err` if it cannot be read, or is not a file. Traces name files, so the path is
 * looked at first: opening a device may have effects (a tape rewinds, a watchdog starts). It is looked at again when it is
 * open: it may have been replaced meanwhile, and a FIFO must not hold us.
 */
static int open_file(const char *path, struct stat *st, struct err *err)
{
	bool fine = !stat(path, st);
	int fd = -1;

	if (fine && S_ISREG(st->st_mode)) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		fine = fd >= 0 && !fstat(fd, st);
	}
	if (!fine)
		err_set_errno(err, errno, "cannot read '%s'", path);
	else if (S_ISREG(st->st_mode) && !sparse_check(fd, st, path, err))
		return fd;
	else if (!S_ISREG(st->st_mode))
		err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

int file_at_open(const char *path, struct file_at **file, struct err *err)
{
	struct stat st;
	int fd = open_file(path, &st, err);

	if (fd < 0)
		return -1;
	*file = xmalloc(sizeof(**file));
	**file = (struct file_at){ .path = xstrdup(path), .fd = fd };
	return 0;
}

void file_at_close(struct file_at *file)
{
	if (!file)
		return;
	close(file->fd);
	free(file->path);
	free(file);
}

int64_t file_at_size(const struct file_at *file)
{
	struct stat st;

	return fstat(file->fd, &st) ? 0 : (int64_t)st.st_size;
}

uint64_t file_at_stored(const struct file_at *file)
{
	struct stat st;

	return fstat(file->fd, &st) ? 0 : sparse_stored(file->fd, &st);
}

int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err)
{
	ssize_t got = offset > INT64_MAX - nr ? 0 : read_at(file->fd, offset, to, nr);

	return got < 0 ? err_set_errno(err, errno, "cannot read '%s'", file->path) : got;
}

int file_map_open(const char *path, struct file_map *map, struct err *err)
{
	struct stat st;
	int fd = open_file(path, &st, err), rc = 0;

	*map = (struct file_map){ NULL, 0 };
	if (fd < 0)
		return -1;
	if (st.st_size > 0) {
		map->size = (size_t)st.st_size;
		cost_map(map->size);
		map->data = mmap(NULL, map->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		if (map->data == MAP_FAILED) {
			cost_unmap(map->size);
			*map = (struct file_map){ NULL, 0 };
			rc = err_set_errno(err, errno, "cannot read '%s'", path);
		}
	}
	close(fd);
	return rc;
}

void file_map_close(struct file_map *map)
{
	if (map->data) {
		munmap(map->data, map->size);
		cost_unmap(map->size);
	}
	*map = (struct file_map){ NULL, 0 };
}

void file_map_drop(const struct file_map *map)
{
	if (map->data)
		madvise(map->data, map->size, MADV_DONTNEED);
}

struct scratch_file {
	char *dir; /* for messages */
	int fd;
};

/* Some file systems cannot create a file without a name: it is removed at once. */
static int open_unnamed(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), why;
	char *path;

	if (fd >= 0)
		return fd;
	path = xasprintf("%s/stagetrace-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	why = errno;
	if (fd >= 0)
		unlink(path);
	free(path);
	errno = why;
	return fd;
}

int scratch_file_open(struct scratch_file **file, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd, why;

	/* /tmp is in memory on many machines. */
	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open_unnamed(dir);
	why = errno;
	if (fd < 0)
		return err_set_errno(
			err, why,
			"cannot create a temporary file in '%s' (TMPDIR chooses another "
			"directory)",
			dir);
	*file = xmalloc(sizeof(**file));
	**file = (struct scratch_file){ .dir = xstrdup(dir), .fd = fd };
	return 0;
}

void scratch_file_close(struct scratch_file *file)
{
	if (!file)
		return;
	close(file->fd);
	free(file->dir);
	free(file);
}

const char *scratch_file_dir(const struct scratch_file *file)
{
	return file->dir;
}

char *scratch_file_path(const struct scratch_file *file)
{
	return xasprintf("/proc/self/fd/%d", file->fd);
}

FILE *scratch_file_stream(struct scratch_file *file, struct err *err)
{
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r+b");

	if (!stream) {
		err_set_errno(err, errno, "cannot open a temporary file in '%s'", file->dir);
		if (fd >= 0)
			close(fd);
	}
	return stream;
}

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err)
{
	size_t done = 0;

	while (done < nr) {
		ssize_t got = pwrite(file->fd, (const char *)from + done, nr - done,
				     (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set_errno(err, got ? errno : ENOSPC,
					     "cannot write a temporary file in '%s' (TMPDIR "
					     "chooses another directory)",
					     file->dir);
		done += (size_t)got;
	}
	return 0;
}

int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err)
{
	ssize_t got = read_at(file->fd, offset, to, nr);

	if (got < 0 || (size_t)got < nr)
		return err_set_errno(err, got < 0 ? errno : EIO,
				     "cannot read a temporary file in '%s'", file->dir);
	return 0;
}
