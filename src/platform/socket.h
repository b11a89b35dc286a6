/*
 * Sockets that a library has opened.
 */
#ifndef PLATFORM_SOCKET_H
#define PLATFORM_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* Wait until there is something to read, or, if `sending`, until it takes something. 0: not in this time; -1: an error. */
int socket_wait(int64_t socket, bool sending, int64_t time_ns);

#endif
