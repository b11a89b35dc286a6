#include "platform/posix/netlink_socket.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

enum netlink_result netlink_receive(int fd, void *buf, size_t size, size_t *len)
{
	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t from_len = sizeof(from);
		ssize_t got =
			recvfrom(fd, buf, size, MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == ENOBUFS ? NETLINK_LOST : NETLINK_EMPTY;
		/* Anyone may send to a netlink socket; only the kernel has number 0. */
		if (from.nl_pid)
			continue;
		*len = (size_t)got;
		return NETLINK_GOT;
	}
}

void netlink_set_buffer(int fd, int64_t bytes)
{
	int size = bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

int64_t netlink_dropped(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0 ||
	    len <= SK_MEMINFO_DROPS * sizeof(info[0]))
		return 0;
	return info[SK_MEMINFO_DROPS];
}
