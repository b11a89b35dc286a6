/*
 * The kernel's two netlink sockets that report processes. Both need the initial pid, user and network namespace.
 *
 * The proc connector sends a message for each fork, exec and exit of a task on this machine, as it happens; before
 * Linux 6.6 it needs CAP_NET_ADMIN. Taskstats sends a record of each task that ends, with exact CPU time and peak
 * memory; it needs CAP_NET_ADMIN.
 */
#ifndef PLATFORM_POSIX_NETLINK_SOCKET_H
#define PLATFORM_POSIX_NETLINK_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Open and subscribe a socket, with a receive buffer of `bytes` if that is allowed; -1 with the reason. */
int cn_proc_open(int64_t bytes, int *fd, struct err *err);

/* Unsubscribe and close; -1 is fine. */
void cn_proc_close(int fd);

/*
 * Open a socket that gets the records of all CPUs, with the same kind of buffer; -1 with the reason. Close it with
 * close().
 */
int taskstats_open(int64_t bytes, int *fd, struct err *err);

enum netlink_result {
	NETLINK_EMPTY, /* no datagram is there */
	NETLINK_GOT,
	NETLINK_LOST, /* the buffer overflowed: messages after those still waiting are missing */
};

/* Read one datagram of the kernel into `buf`, without waiting. */
enum netlink_result netlink_receive(int fd, void *buf, size_t size, size_t *len);

/* The number of messages dropped since the socket was opened, because its buffer was full. */
int64_t netlink_dropped(int fd);

#endif
