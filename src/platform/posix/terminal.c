#include "platform/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_ensure_streams(void)
{
	int fd;

	/* Read-only, so that writing to a stream that was closed still fails. */
	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

bool terminal_is_tty(FILE *file)
{
	return isatty(fileno(file));
}

int terminal_width(FILE *file)
{
	struct winsize size;

	if (!terminal_is_tty(file) || ioctl(fileno(file), TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}
