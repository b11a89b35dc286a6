/*
 * Which pids were assigned since the last scan. The kernel assigns them in ascending order and shows the last one in
 * /proc/loadavg, so one small read shows whether any process started, and which pids to read.
 */
#ifndef PLATFORM_POSIX_PID_CURSOR_H
#define PLATFORM_POSIX_PID_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pid_cursor {
	int fd; /* -1: /proc/loadavg is not usable here */
	int64_t last;
	int64_t limit; /* pids are below this, and then start from low ones again */
};

/* Open the cursor and try it with a thread: `fd` is -1 if the thread's id does not show up. */
void pid_cursor_open(struct pid_cursor *cursor);
void pid_cursor_close(struct pid_cursor *cursor);

/*
 * Get the new pids: those after `*from`, up to and including `*to`. False: there are none. If `*to` is smaller than
 * `*from`, pids wrapped around at `limit`.
 */
bool pid_cursor_next(struct pid_cursor *cursor, int64_t *from, int64_t *to);

/* The number of pids in such a range, and the pid that follows `pid`. */
int64_t pid_cursor_count(const struct pid_cursor *cursor, int64_t from, int64_t to);
int64_t pid_cursor_after(const struct pid_cursor *cursor, int64_t pid);

/* Pure: the last pid from the text of /proc/loadavg; -1 if there is none. */
int64_t pid_cursor_parse(const char *text);

#endif
