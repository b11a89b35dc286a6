/*
 * FIFOs and character devices that results are written into (fs_is_stream()): they stay, whatever is written.
 */
#ifndef PLATFORM_STREAM_H
#define PLATFORM_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether nobody but this user, root, and the one who ran sudo has chosen where the bytes go: theirs are the FIFO, and each
 * link that leads to it or to a device. In a directory of many users, such as /tmp, anyone may have put it there. What this
 * program has open already is fine, whosever it is: /dev/stdout, /dev/fd/63. Looked at is the last name of a path, not the
 * directories before it. (Windows: true.)
 */
bool stream_is_ours(const char *path);

/*
 * Open one for writing; nothing is created or emptied. NULL with errno on failure: EPERM if it is not ours, ENODEV if it is
 * something else or was replaced meanwhile.
 */
FILE *stream_open(const char *path);

/* Two streams, of which one reads what is written into the other. No child inherits them. False, with errno. */
bool stream_pipe(FILE **from, FILE **to);

#endif
