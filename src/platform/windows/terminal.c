#include "platform/terminal.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

void terminal_ensure_streams(void)
{
	int fd;

	/* Read-only, so that writing to a stream that was closed still fails. */
	do {
		fd = _open("NUL", _O_RDONLY | _O_NOINHERIT);
	} while (fd >= 0 && fd <= 2);
	if (fd > 2)
		_close(fd);
}

static HANDLE handle_of(FILE *file)
{
	int fd = _fileno(file);

	return fd < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(fd);
}

/* _isatty() is true for NUL too. */
bool terminal_is_tty(FILE *file)
{
	DWORD mode;

	return GetConsoleMode(handle_of(file), &mode) && mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING;
}

int terminal_width(FILE *file)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!GetConsoleScreenBufferInfo(handle_of(file), &info))
		return 0;
	return info.srWindow.Right - info.srWindow.Left + 1;
}
