#ifndef _WIN32
#define _GNU_SOURCE
#include "tools/wpt/port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

/* 1601 to 1970 in 100 ns. */
#define EPOCH_FILETIME INT64_C(116444736000000000)

void port_arguments(int argc, char **argv, struct strvec *args)
{
	for (int i = 1; i < argc; i++)
		strvec_push(args, argv[i]);
}

char *port_env(const char *name)
{
	return xstrdup_or_null(getenv(name));
}

FILE *port_open(const char *path, const char *mode)
{
	return fopen(path, mode);
}

bool port_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool port_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int port_make_dir(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

int port_remove(const char *path)
{
	return unlink(path);
}

int port_rename(const char *from, const char *to)
{
	return rename(from, to);
}

char *port_absolute(const char *path)
{
	char cwd[PATH_MAX];

	if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return xstrdup(path);
	return xasprintf("%s/%s", cwd, path);
}

size_t port_path_length(const char *path)
{
	char *full = port_absolute(path);
	size_t left = strlen(full), units = 0;

	for (const char *s = full; left;) {
		size_t used;
		uint32_t c = utf8_next(s, left, &used);

		units += c != UTF8_BAD && c > 0xffff ? 2 : 1;
		s += used;
		left -= used;
	}
	free(full);
	return units;
}

void *port_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return (void *)(intptr_t)fd;
}

void port_unlock(void *lock)
{
	if ((intptr_t)lock >= 0)
		close((int)(intptr_t)lock);
}

void port_sleep_ms(int64_t ms)
{
	struct timespec t = { .tv_sec = (time_t)(ms / 1000),
			      .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 10000000 + t.tv_nsec / 100;
}

int64_t port_ticks(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t port_filetime(void)
{
	return read_clock(CLOCK_REALTIME) + EPOCH_FILETIME;
}

uint32_t port_pid(void)
{
	return (uint32_t)getpid();
}

bool port_process_name(uint32_t pid, struct strbuf *name)
{
	char link[64], target[PATH_MAX];
	ssize_t len;

	if (pid == 0 || pid > INT_MAX || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
		return false;
	snprintf(link, sizeof(link), "/proc/%u/exe", (unsigned)pid);
	len = readlink(link, target, sizeof(target) - 1);
	if (len > 0) {
		target[len] = '\0';
		strbuf_adds(name, text_file_name(target));
	}
	return true;
}

const char *port_stream(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return "closed";
	if (isatty(fd))
		return "terminal";
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		return "null";
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return "pipe";
	return S_ISREG(st.st_mode) ? "file" : "other";
}

int port_tracing_flags(const char *image, int flags)
{
	(void)image;
	(void)flags;
	return 0;
}

noreturn void port_exit(uint32_t code)
{
	fflush(stdout);
	fflush(stderr);
	exit(code && !(code & 0xff) ? 1 : (int)(code & 0xff));
}

noreturn void port_crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	_exit(139);
}

#else
typedef int not_for_windows;
#endif
