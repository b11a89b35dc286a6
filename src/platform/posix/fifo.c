#include "platform/fifo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fifo_make(const char *path, struct err *err)
{
	if (mkfifo(path, 0600))
		return err_set(err, ERR_FAILED, "cannot make the FIFO '%s': %s", path,
			       strerror(errno));
	return 0;
}

int fifo_open(const char *path)
{
	struct stat status;
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, &status) || !S_ISFIFO(status.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void fifo_send(int fd, const char *text)
{
	ssize_t sent = write(fd, text, strlen(text));

	(void)sent;
}

void fifo_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
