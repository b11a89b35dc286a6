#include "platform/stream.h"

#include <fcntl.h>
#include <io.h>

#include "platform/fs.h"

#define PIPE_BYTES (1U << 20)

bool stream_is_ours(const char *path)
{
	(void)path;
	return true;
}

FILE *stream_open(const char *path)
{
	return fs_open(path, "wb");
}

bool stream_pipe(FILE **from, FILE **to)
{
	int fds[2];

	if (_pipe(fds, PIPE_BYTES, _O_BINARY | _O_NOINHERIT))
		return false;
	*from = _fdopen(fds[0], "rb");
	*to = _fdopen(fds[1], "wb");
	if (*from && *to)
		return true;
	for (int i = 0; i < 2; i++) {
		FILE **file = i ? to : from;

		if (*file)
			fclose(*file);
		else
			_close(fds[i]);
		*file = NULL;
	}
	return false;
}
