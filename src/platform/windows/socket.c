#include "platform/socket.h"

#include <winsock2.h>

#include "platform/windows/library.h"
#include "util/text.h"

int socket_wait(int64_t socket, bool sending, int64_t time_ns)
{
	WSAPOLLFD wait = { .fd = (SOCKET)socket,
			   .events = (SHORT)(sending ? POLLRDNORM | POLLWRNORM : POLLRDNORM) };
	int(WSAAPI * poll_sockets)(LPWSAPOLLFD fds, ULONG nr, INT time_ms);

	if (!library_function(L"ws2_32.dll", "WSAPoll", &poll_sockets, sizeof(poll_sockets)))
		return -1;
	return poll_sockets(&wait, 1, (INT)((time_ns + NS_PER_MS - 1) / NS_PER_MS));
}
