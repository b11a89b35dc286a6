/*
 * The kernel's proc connector: a message for each fork, exec and end of a task on this machine, at the moment it
 * happens. Wants the initial pid, user and network namespace; before Linux 6.6 CAP_NET_ADMIN as well.
 */
#ifndef PLATFORM_POSIX_CN_PROC_H
#define PLATFORM_POSIX_CN_PROC_H

#include <stdint.h>

#include "util/err.h"

/* A socket that is subscribed, with a receive buffer of `bytes` where that is allowed; -1 with the reason. */
int cn_proc_open(int64_t bytes, int *fd, struct err *err);

/* Unsubscribe and close; -1 is fine. */
void cn_proc_close(int fd);

#endif
