#include "platform/socket.h"

#include <errno.h>
#include <poll.h>

#include "platform/clock.h"
#include "util/text.h"

int socket_wait(int64_t socket, bool sending, int64_t time_ns)
{
	struct pollfd wait = { (int)socket, (short)(sending ? POLLIN | POLLOUT : POLLIN), 0 };
	int64_t until_ns = clock_now() + time_ns, left_ns = time_ns;
	int rc;

	do {
		rc = poll(&wait, 1, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS));
		left_ns = until_ns - clock_now();
	} while (rc < 0 && errno == EINTR && left_ns > 0);
	return rc < 0 && errno == EINTR ? 0 : rc;
}
