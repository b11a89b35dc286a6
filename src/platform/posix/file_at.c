#include "platform/file_at.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

struct file_at {
	char *path;
	int fd;
};

int file_at_open(const char *path, struct file_at **file, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hold us */
	struct stat st;

	if (fd < 0)
		return err_set_errno(err, errno, "cannot read '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	}
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

int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err)
{
	size_t done = 0;

	if (offset > INT64_MAX - nr)
		return 0;
	while (done < nr) {
		ssize_t got = pread(file->fd, (char *)to + done, nr - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, errno, "cannot read '%s'", file->path);
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}
