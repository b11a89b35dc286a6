#include "platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

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
