#include "platform/posix/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/thread.h"
#include "util/array.h"
#include "util/err.h"
#include "util/key_hash.h"
#include "util/text.h"

/* PF_FORKNOEXEC of the kernel, which has no public header. */
#define FLAG_ONLY_FORKED 0x40

/* Low bits of the clock id of a process: the scheduler's count of CPU time. */
#define CPU_CLOCK_SCHED 2U

#define READ_STEP      ((size_t)64 << 10)
#define CMDLINE_MAX    ((size_t)64 << 20)
#define IMAGE_PREFIX   ((size_t)4096)
#define TITLE_PADDING  8
#define DELETED_SUFFIX " (deleted)"

/* After a wrap-around the kernel skips the pids below this one. */
#define RESERVED_PIDS 300

enum stat_field {
	/* Counted from 1 as in proc(5). */
	FIELD_STATE = 3,
	FIELD_PPID = 4,
	FIELD_PGRP = 5,
	FIELD_SESSION = 6,
	FIELD_FLAGS = 9,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_EXIT_SIGNAL = 38,
	FIELD_ARG_START = 48,
	FIELD_EXIT_CODE = 52,
	FIELD_END,
};

/* Ticks of 10 ms; as nanoseconds half of what a number holds. */
#define START_MAX (INT64_MAX / NS_PER_S * 50)

static int64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) < 0)
		return -1;
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

bool procfs_parse_stat(const char *text, int64_t boot_ns, struct procfs_stat *stat)
{
	/* The name before it may contain blanks and parentheses. */
	const char *at = strrchr(text, ')');
	int64_t value[FIELD_END] = { 0 };
	int field;

	memset(stat, 0, sizeof(*stat));
	if (!at || at[1] != ' ' || !at[2])
		return false;
	stat->pid = strtoll(text, NULL, 10);
	stat->state = at[2];
	at += 3;
	for (field = FIELD_PPID; field < FIELD_END && *at; field++) {
		char *end;

		value[field] = (int64_t)strtoull(at, &end, 10);
		if (end == at)
			break;
		at = end;
	}
	if (field <= FIELD_EXIT_SIGNAL || value[FIELD_START] < 0 || value[FIELD_START] > START_MAX)
		return false;
	stat->ppid = value[FIELD_PPID];
	stat->pgrp = value[FIELD_PGRP];
	stat->session = value[FIELD_SESSION];
	stat->only_forked = value[FIELD_FLAGS] & FLAG_ONLY_FORKED;
	stat->is_thread = value[FIELD_EXIT_SIGNAL] == -1;
	stat->threads = value[FIELD_THREADS];
	stat->start_ticks = value[FIELD_START];
	stat->start_ns = value[FIELD_START] / 100 * NS_PER_S +
			 value[FIELD_START] % 100 * (NS_PER_S / 100) - boot_ns;
	stat->arg_start = value[FIELD_ARG_START];
	stat->status = field > FIELD_EXIT_CODE && stat->state == 'Z' ? value[FIELD_EXIT_CODE] : -1;
	return true;
}

/* The kernel shows the status 0 for a process that we may not inspect. */
static bool may_see_status(int64_t pid)
{
	char path[32];
	struct stat st;

	if (geteuid() == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	return stat(path, &st) == 0 && st.st_uid == geteuid();
}

/* Read the beginning of a small file, NUL-terminated. False: the file is gone or empty. */
static bool read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, buf, size - 1);
	close(fd);
	buf[got > 0 ? got : 0] = '\0';
	return got > 0;
}

bool procfs_read_stat(int64_t pid, struct procfs_stat *stat)
{
	int64_t boot_ns = read_clock(CLOCK_BOOTTIME) - clock_now();
	char path[40];
	char text[1024];

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	if (!read_small(path, text, sizeof(text)) || !procfs_parse_stat(text, boot_ns, stat))
		return false;
	if (stat->status >= 0 && !may_see_status(pid))
		stat->status = -1;
	return true;
}

int64_t procfs_cpu_ns(int64_t pid)
{
	/* The same id as from clock_getcpuclockid(), without its additional system call, which doubles the cost. */
	return read_clock((clockid_t)(~(unsigned)pid << 3 | CPU_CLOCK_SCHED));
}

int64_t procfs_peak_rss(int64_t pid)
{
	char path[40];
	char text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%lld/status", (long long)pid);
	if (!read_small(path, text, sizeof(text)))
		return -1;
	line = strstr(text, "\nVmHWM:");
	return line ? strtoll(line + strlen("\nVmHWM:"), NULL, 10) * 1024 : -1;
}

int64_t procfs_started(void)
{
	FILE *file = fopen("/proc/stat", "re");
	long long started = -1;
	char line[256];

	if (!file)
		return -1;
	/* The line of interrupts is longer than `line`; its further parts begin with a digit. */
	while (started < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "processes %lld", &started) != 1)
			started = -1;
	}
	fclose(file);
	return started;
}

int procfs_list(int64_t **pids, size_t *nr)
{
	size_t alloc = 0;
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	*pids = NULL;
	*nr = 0;
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		int64_t pid;

		if (!text_parse_int(entry->d_name, 1, INT32_MAX, &pid))
			continue;
		ARRAY_GROW(*pids, *nr + 1, alloc);
		(*pids)[(*nr)++] = pid;
	}
	closedir(dir);
	return 0;
}

void procfs_buffers_release(struct procfs_buffers *buffers)
{
	strbuf_release(&buffers->cmdline);
	strbuf_release(&buffers->other);
}

/* Read up to `limit` bytes of an open file. A short read is the end of the file, also in /proc. */
static void read_all(int fd, size_t limit, struct strbuf *sb)
{
	strbuf_clear(sb);
	while (sb->len < limit) {
		size_t room;
		ssize_t got;

		strbuf_grow(sb, READ_STEP);
		room = sb->alloc - sb->len - 1;
		if (room > limit - sb->len)
			room = limit - sb->len;
		got = read(fd, sb->buf + sb->len, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		strbuf_set_len(sb, sb->len + (size_t)got);
		if ((size_t)got < room)
			return;
	}
}

static void read_proc_file(int dir, const char *name, struct strbuf *sb)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	strbuf_clear(sb);
	if (fd < 0)
		return;
	read_all(fd, CMDLINE_MAX, sb);
	close(fd);
}

/* Read a link; NULL: it is gone or not permitted. The suffix of the kernel for a removed file is dropped. */
static char *read_link(int dir, const char *name)
{
	char path[PATH_MAX];
	ssize_t len = readlinkat(dir, name, path, sizeof(path) - 1);

	if (len <= 0)
		return NULL;
	path[len] = '\0';
	if (text_ends_with(path, DELETED_SUFFIX) && access(path, F_OK) < 0)
		path[(size_t)len - strlen(DELETED_SUFFIX)] = '\0';
	return xstrdup(path);
}

void procfs_split_cmdline(const char *bytes, size_t len, struct strvec *argv)
{
	size_t used = 0;

	for (size_t at = 0; at < len;) {
		size_t size = strnlen(bytes + at, len - at);

		strvec_push_nodup(argv, xstrndup(bytes + at, size));
		if (size)
			used = argv->nr;
		at += size + 1;
	}
	if (argv->nr - used <= TITLE_PADDING)
		return;
	while (argv->nr > used)
		strvec_remove(argv, argv->nr - 1);
}

static void keep_env(const struct strbuf *environ_bytes, const struct strvec *names,
		     struct strvec *env)
{
	for (size_t at = 0; at < environ_bytes->len;) {
		const char *pair = environ_bytes->buf + at;
		size_t name_len = strcspn(pair, "=");
		char name[128];

		at += strlen(pair) + 1;
		if (name_len >= sizeof(name) || pair[name_len] != '=')
			continue;
		memcpy(name, pair, name_len);
		name[name_len] = '\0';
		for (size_t i = 0; i < names->nr; i++) {
			if (text_glob(names->v[i], name, false)) {
				strvec_push(env, pair);
				break;
			}
		}
	}
}

/* Devices and pipes could block. */
static int open_regular(int dir, const char *path)
{
	struct stat st;

	if (fstatat(dir, path, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/*
 * Open the path relative to the working directory of the process; by name if the process has ended, as the file may
 * still exist.
 */
static int open_response(int dir, const char *cwd, const char *path)
{
	char *inside = xasprintf("%s/%s", path[0] == '/' ? "root" : "cwd", path);
	int fd = open_regular(dir, inside);

	free(inside);
	if (fd >= 0)
		return fd;
	if (path[0] == '/')
		return open_regular(AT_FDCWD, path);
	if (!cwd)
		return -1;
	inside = xasprintf("%s/%s", cwd, path);
	fd = open_regular(AT_FDCWD, inside);
	free(inside);
	return fd;
}

static void read_responses(int dir, struct strbuf *text, struct proc_event *event)
{
	const char *path;
	size_t at = 1;

	while ((path = proc_event_next_response(event, &at))) {
		int fd = open_response(dir, event->cwd, path);

		if (fd < 0)
			continue;
		read_all(fd, PROC_RESPONSE_BYTES_MAX, text);
		close(fd);
		/* Strings end at NUL, so text after it would be lost. */
		for (char *nul = text->buf; (nul = memchr(nul, '\0', text->buf + text->len - nul));)
			*nul = '\n';
		strvec_push(&event->responses, path);
		strvec_push(&event->responses, text->buf);
	}
}

static uint64_t hash_image(const char *exe, const char *cmdline, size_t len)
{
	uint64_t hash = key_hash_first();

	if (exe)
		hash = key_hash_add(hash, exe, strlen(exe));
	hash = key_hash_add(hash, cmdline, len < IMAGE_PREFIX ? len : IMAGE_PREFIX);
	return hash ? hash : 1;
}

static int open_dir(int64_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void procfs_read(int64_t pid, const char *name, struct strbuf *sb)
{
	int dir = open_dir(pid);

	strbuf_clear(sb);
	if (dir < 0)
		return;
	read_proc_file(dir, name, sb);
	close(dir);
}

uint64_t procfs_read_image(int64_t pid, const struct strvec *env_names,
			   struct procfs_buffers *buffers, struct proc_event *event)
{
	/* One descriptor of the directory for all files, so that none is read of a later process with the same pid. */
	int dir = open_dir(pid);
	struct strbuf *cmdline = &buffers->cmdline;

	event->argv_lost = true;
	if (dir < 0)
		return 0;
	read_proc_file(dir, "cmdline", cmdline);
	if (!cmdline->len) {
		close(dir);
		return 0;
	}
	event->argv_lost = false;
	event->exe = read_link(dir, "exe");
	event->cwd = read_link(dir, "cwd");
	if (env_names->nr) {
		read_proc_file(dir, "environ", &buffers->other);
		keep_env(&buffers->other, env_names, &event->env);
	}
	procfs_split_cmdline(cmdline->buf, cmdline->len, &event->argv);
	read_responses(dir, &buffers->other, event);
	close(dir);
	return hash_image(event->exe, cmdline->buf, cmdline->len);
}

uint64_t procfs_image(int64_t pid)
{
	char bytes[IMAGE_PREFIX];
	int dir = open_dir(pid);
	uint64_t image = 0;
	ssize_t len = -1;
	int fd;

	if (dir < 0)
		return 0;
	fd = openat(dir, "cmdline", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, bytes, sizeof(bytes));
		close(fd);
	}
	if (len > 0) {
		char *exe;

		errno = 0;
		exe = read_link(dir, "exe");
		/* It may not be permitted. Any other error means that the process has just ended. */
		if (exe || errno == EACCES || errno == EPERM)
			image = hash_image(exe, bytes, (size_t)len);
		free(exe);
	}
	close(dir);
	return image;
}

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

static int64_t read_last(const struct pid_cursor *cursor)
{
	char text[128];
	ssize_t got = pread(cursor->fd, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	return pid_cursor_parse(text);
}

static void store_tid(void *data)
{
	*(int64_t *)data = gettid();
}

static bool is_within(const struct pid_cursor *cursor, int64_t pid, int64_t from, int64_t to)
{
	return pid_cursor_count(cursor, from, pid) <= pid_cursor_count(cursor, from, to);
}

void pid_cursor_open(struct pid_cursor *cursor)
{
	int64_t from = 0, to = 0, tid = 0;
	struct thread *thread;
	struct err err = ERR_INIT;
	char text[32];

	cursor->limit = read_small("/proc/sys/kernel/pid_max", text, sizeof(text))
				? strtoll(text, NULL, 10)
				: -1;
	cursor->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	if (cursor->fd < 0)
		return;
	cursor->last = read_last(cursor);
	if (cursor->limit > RESERVED_PIDS && cursor->last > 0 &&
	    thread_start(store_tid, &tid, &thread, &err) == 0) {
		thread_join(thread);
		if (pid_cursor_next(cursor, &from, &to) && is_within(cursor, tid, from, to))
			return;
	}
	err_clear(&err);
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
	int64_t last = read_last(cursor);

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
