/*
 * What the kernel reports of processes over netlink. The decoders are pure functions of bytes, and safe for any bytes.
 *
 * Two sockets report processes; both need the initial pid, user and network namespace. The proc connector sends a message
 * for each fork, exec and exit of a task on this machine, as it happens; before Linux 6.6 it needs CAP_NET_ADMIN.
 * Taskstats sends a record of each task that ends, with exact CPU time and peak memory; it needs CAP_NET_ADMIN.
 */
#ifndef PLATFORM_POSIX_NETLINK_H
#define PLATFORM_POSIX_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/waits.h"

enum cn_proc_kind {
	CN_PROC_OTHER,
	CN_PROC_ACK,
	CN_PROC_FORK,
	CN_PROC_EXEC,
	CN_PROC_EXIT,
};

/* A message of the proc connector. `pid` is the id of the thread, `tgid` that of its process. */
struct cn_proc_msg {
	enum cn_proc_kind kind;
	uint32_t ack;    /* of an answer: the number of the request plus one */
	int64_t time_ns; /* CLOCK_MONOTONIC */
	int64_t pid;
	int64_t tgid;
	int64_t ppid;    /* fork: the parent process, as the kernel defines it */
	uint32_t status; /* exit: as from wait(); ack: errno of the request */
};

/*
 * Decode the next event of a datagram, at offset `*at`, which is advanced past it. Returns 1; 0 at the end; -1 if the
 * remaining bytes are damaged. Messages of other kinds are CN_PROC_OTHER.
 */
int cn_proc_decode(const void *buf, size_t len, size_t *at, struct cn_proc_msg *msg);

/* The record of one task, sent when the task ends (or on request). */
struct taskstats_msg {
	unsigned version;
	int64_t pid;
	int64_t tgid;   /* 0: unknown, as versions of the record below 12 do not have it */
	int64_t cpu_ns; /* of this task alone */
	int64_t peak_rss_bytes;
	/* Those for disk and memory are 0 while kernel.task_delayacct is off, and for tasks that began before. */
	struct waits waits; /* io_ns is also unknown if the kernel has counted what cannot be */
	bool exact;         /* cpu_ns is exact to the nanosecond, not a number of ticks */
};

/* As cn_proc_decode(). Other messages (sums of a whole thread group, errors) are skipped. */
int taskstats_decode(const void *buf, size_t len, size_t *at, struct taskstats_msg *msg);

/*
 * Decode an answer of the generic netlink controller. Returns 1 and the id of the family; 0 and the errno of an error
 * message; -1 if it is neither.
 */
int genl_family_decode(const void *buf, size_t len, uint16_t *id, int *errnum);

/* The errno of an error message (0: an acknowledgement); -1 if it is no error message. */
int netlink_error_decode(const void *buf, size_t len);

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
