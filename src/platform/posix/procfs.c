#include "platform/posix/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"
#include "util/array.h"
#include "util/text.h"

/* PF_FORKNOEXEC of the kernel, which has no public header. */
#define FLAG_ONLY_FORKED 0x40

/* The scheduler's own count, in the low bits of a process's clock. */
#define CPU_CLOCK_SCHED 2U

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
	/* The name before it may hold blanks and parentheses. */
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

/* The kernel shows 0 as the status of a process that is not ours to see. */
static bool may_see_status(int64_t pid)
{
	char path[32];
	struct stat st;

	if (geteuid() == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	return stat(path, &st) == 0 && st.st_uid == geteuid();
}

/* The beginning of a small file, NUL-terminated; false where it is gone or empty. */
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
	/* As clock_getcpuclockid() makes it, which asks the kernel first: that doubles the price. */
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
	/* The line of interrupts is long; what is left of a cut line begins with a digit. */
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
