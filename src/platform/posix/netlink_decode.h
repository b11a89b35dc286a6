/*
 * What the kernel sends us over netlink, taken apart: proc connector events, taskstats records and the answer
 * to "which number has that generic netlink family". Pure functions over bytes; any bytes are survived.
 */
#ifndef PLATFORM_POSIX_NETLINK_DECODE_H
#define PLATFORM_POSIX_NETLINK_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cn_proc_kind {
	CN_PROC_OTHER,
	CN_PROC_ACK,
	CN_PROC_FORK,
	CN_PROC_EXEC,
	CN_PROC_EXIT,
};

/* A thread has pid != tgid. */
struct cn_proc_msg {
	enum cn_proc_kind kind;
	uint32_t ack;    /* an answer has the request's and one */
	int64_t time_ns; /* CLOCK_MONOTONIC */
	int64_t pid;
	int64_t tgid;
	int64_t ppid;    /* fork: the process that the kernel calls the parent */
	uint32_t status; /* exit: as from wait(); ack: errno of the request */
};

/*
 * The next event of a datagram from `*at` on, which moves behind it: 1; 0 at the end; -1 where the rest is
 * damaged. Foreign messages are CN_PROC_OTHER.
 */
int cn_proc_decode(const void *buf, size_t len, size_t *at, struct cn_proc_msg *msg);

/* One task's record, sent when it ends (or was asked for). */
struct taskstats_msg {
	unsigned version;
	int64_t pid;
	int64_t tgid;   /* 0: the record is too old a version (below 12) to say */
	int64_t cpu_ns; /* of this task alone */
	int64_t peak_rss_bytes;
	bool exact; /* cpu_ns is to the nanosecond, not counted in ticks */
};

/* As cn_proc_decode(); other messages (a whole group's sums, errors) are skipped. */
int taskstats_decode(const void *buf, size_t len, size_t *at, struct taskstats_msg *msg);

/*
 * An answer of the generic netlink controller: 1 with the family's number, 0 where it is an error (its errno in
 * `*errnum`), -1 where it is neither.
 */
int genl_family_decode(const void *buf, size_t len, uint16_t *id, int *errnum);

/* The errno of an error message (0: an acknowledgement); -1 where it is something else. */
int netlink_error_decode(const void *buf, size_t len);

#endif
