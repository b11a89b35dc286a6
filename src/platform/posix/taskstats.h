/*
 * The kernel's record of each task that ends: CPU time and peak memory, exact and without asking in time. Wants
 * CAP_NET_ADMIN in the initial namespaces.
 */
#ifndef PLATFORM_POSIX_TASKSTATS_H
#define PLATFORM_POSIX_TASKSTATS_H

#include <stdint.h>

#include "util/err.h"

/* A socket that gets the records of all CPUs, with `bytes` of receive buffer; -1 with the reason. */
int taskstats_open(int64_t bytes, int *fd, struct err *err);

/* -1 is fine. */
void taskstats_close(int fd);

#endif
