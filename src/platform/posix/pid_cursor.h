/*
 * Which process numbers were given out since the last look. The kernel counts upwards and shows the last number in
 * /proc/loadavg, so one small read says whether anything started, and which numbers to look at.
 */
#ifndef PLATFORM_POSIX_PID_CURSOR_H
#define PLATFORM_POSIX_PID_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pid_cursor {
	int fd; /* -1: it cannot be trusted here */
	int64_t last;
	int64_t limit; /* numbers begin again from below here */
};

/* Tries it out with a thread; `fd` is -1 where the thread's number was not among those given out. */
void pid_cursor_open(struct pid_cursor *cursor);
void pid_cursor_close(struct pid_cursor *cursor);

/*
 * The numbers after `*from` up to `*to` are new; false where there are none. Where `*to` is smaller the count
 * began again at `limit`.
 */
bool pid_cursor_next(struct pid_cursor *cursor, int64_t *from, int64_t *to);

/* How many numbers that are, and the one that follows `pid`. */
int64_t pid_cursor_count(const struct pid_cursor *cursor, int64_t from, int64_t to);
int64_t pid_cursor_after(const struct pid_cursor *cursor, int64_t pid);

/* Pure: the last number from the text of /proc/loadavg; -1 where there is none. */
int64_t pid_cursor_parse(const char *text);

#endif
