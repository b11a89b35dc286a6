/*
 * What all our netlink sockets need: messages of the kernel alone, a large buffer, a count of what did not fit in.
 */
#ifndef PLATFORM_POSIX_NETLINK_SOCKET_H
#define PLATFORM_POSIX_NETLINK_SOCKET_H

#include <stddef.h>
#include <stdint.h>

enum netlink_result {
	NETLINK_EMPTY, /* nothing waits */
	NETLINK_GOT,
	NETLINK_LOST, /* the buffer ran over: messages are missing behind those that still wait */
};

/* One datagram of the kernel's into `buf`, without waiting. */
enum netlink_result netlink_receive(int fd, void *buf, size_t size, size_t *len);

/* Up to `bytes` of receive buffer, as far as we are allowed. */
void netlink_set_buffer(int fd, int64_t bytes);

/* Messages dropped for want of buffer since the socket was opened. */
int64_t netlink_dropped(int fd);

#endif
