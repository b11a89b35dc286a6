#include "platform/posix/pid_cursor.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* After a wrap-around the kernel skips the pids below this one. */
#define RESERVED_PIDS 300

int64_t pid_cursor_parse(const char *text)
{
	const char *blank = strrchr(text, ' ');
	char *end;
	int64_t last;

	if (!blank)
		return -1;
	last = strtoll(blank + 1, &end, 10);
	return end == blank + 1 || last <= 0 || last > INT32_MAX ? -1 : last;
}

static int64_t read_number(int fd, int64_t (*parse)(const char *text))
{
	char text[128];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return -1;
	text[got] = '\0';
	return parse(text);
}

static int64_t parse_plain(const char *text)
{
	return strtoll(text, NULL, 10);
}

static int64_t read_limit(void)
{
	int fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
	int64_t limit;

	if (fd < 0)
		return -1;
	limit = read_number(fd, parse_plain);
	close(fd);
	return limit;
}

static void *store_tid(void *data)
{
	*(int64_t *)data = gettid();
	return NULL;
}

static bool is_within(const struct pid_cursor *cursor, int64_t pid, int64_t from, int64_t to)
{
	return pid_cursor_count(cursor, from, pid) <= pid_cursor_count(cursor, from, to);
}

void pid_cursor_open(struct pid_cursor *cursor)
{
	int64_t from = 0, to = 0, tid = 0;
	pthread_t thread;

	cursor->limit = read_limit();
	cursor->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (cursor->fd < 0)
		return;
	cursor->last = read_number(cursor->fd, pid_cursor_parse);
	if (cursor->limit > RESERVED_PIDS && cursor->last > 0 &&
	    pthread_create(&thread, NULL, store_tid, &tid) == 0) {
		pthread_join(thread, NULL);
		if (pid_cursor_next(cursor, &from, &to) && is_within(cursor, tid, from, to))
			return;
	}
	pid_cursor_close(cursor);
}

void pid_cursor_close(struct pid_cursor *cursor)
{
	if (cursor->fd >= 0)
		close(cursor->fd);
	cursor->fd = -1;
}

bool pid_cursor_next(struct pid_cursor *cursor, int64_t *from, int64_t *to)
{
	int64_t last = read_number(cursor->fd, pid_cursor_parse);

	if (last < 0 || last == cursor->last)
		return false;
	*from = cursor->last;
	*to = cursor->last = last;
	return true;
}

int64_t pid_cursor_count(const struct pid_cursor *cursor, int64_t from, int64_t to)
{
	if (to >= from)
		return to - from;
	/* The limit may have been lowered since. */
	return (cursor->limit > from ? cursor->limit - 1 - from : 0) +
	       (to >= RESERVED_PIDS ? to - RESERVED_PIDS + 1 : 0);
}

int64_t pid_cursor_after(const struct pid_cursor *cursor, int64_t pid)
{
	return pid + 1 < cursor->limit ? pid + 1 : RESERVED_PIDS;
}
