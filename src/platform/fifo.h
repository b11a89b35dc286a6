/*
 * A FIFO (named pipe): a file through which one program sends lines to another. Windows has none: fifo_make() fails.
 */
#ifndef PLATFORM_FIFO_H
#define PLATFORM_FIFO_H

#include "util/err.h"

/* Make one that only its owner may open. The caller removes it; programs that have it open keep it. */
int fifo_make(const char *path, struct err *err);

/* Open it for writing. -1: no program has it open for reading yet, or it is no FIFO. */
int fifo_open(const char *path);

/* Send a text without waiting: it is dropped if the reader is behind or gone. Shorter than 4096 bytes, it arrives whole. */
void fifo_send(int fd, const char *text);

/* -1 is allowed. */
void fifo_close(int fd);

#endif
