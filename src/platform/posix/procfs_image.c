#include "platform/posix/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/fnv.h"
#include "util/text.h"

#define READ_STEP      ((size_t)64 << 10)
#define CMDLINE_MAX    ((size_t)64 << 20)
#define RESPONSE_MAX   ((size_t)1 << 20)
#define RESPONSES_MAX  64
#define IMAGE_PREFIX   ((size_t)4096)
#define TITLE_PADDING  8
#define DELETED_SUFFIX " (deleted)"

void procfs_buffers_release(struct procfs_buffers *buffers)
{
	strbuf_release(&buffers->cmdline);
	strbuf_release(&buffers->other);
}

/* Up to `limit` bytes of an open file; a short read ends it, which holds for the files of /proc too. */
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

/* NULL where it is gone or forbidden. The kernel marks what was removed since; the name is what it had. */
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

/* Devices and pipes could keep us waiting. */
static int open_regular(int dir, const char *path)
{
	struct stat st;

	if (fstatat(dir, path, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* As the process itself would find it; by name where the process is gone and the file may not be. */
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

static const char *response_path(const char *arg)
{
	if (arg[0] == '@')
		return arg + 1;
	if (text_starts_with(arg, "-Wl,@"))
		return arg + strlen("-Wl,@");
	return NULL;
}

static void read_responses(int dir, struct strbuf *text, struct proc_event *event)
{
	for (size_t i = 1; i < event->argv.nr && event->responses.nr < 2 * RESPONSES_MAX; i++) {
		const char *path = response_path(event->argv.v[i]);
		int fd;

		if (!path || !*path)
			continue;
		fd = open_response(dir, event->cwd, path);
		if (fd < 0)
			continue;
		read_all(fd, RESPONSE_MAX, text);
		close(fd);
		/* Strings end at NUL; the rest of the file would be lost. */
		for (char *nul = text->buf; (nul = memchr(nul, '\0', text->buf + text->len - nul));)
			*nul = '\n';
		strvec_push(&event->responses, path);
		strvec_push(&event->responses, text->buf);
	}
}

static uint64_t hash_image(const char *exe, const char *cmdline, size_t len)
{
	uint64_t hash = FNV_FIRST;

	if (exe)
		hash = fnv_add(hash, exe, strlen(exe));
	hash = fnv_add(hash, cmdline, len < IMAGE_PREFIX ? len : IMAGE_PREFIX);
	return hash ? hash : 1;
}

static int open_dir(int64_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

uint64_t procfs_read_image(int64_t pid, const struct strvec *env_names,
			   struct procfs_buffers *buffers, struct proc_event *event)
{
	/* One handle for all of it: a later process of the same number is not reached by it. */
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
		/* It may be forbidden; gone it is when the process ended just now. */
		if (exe || errno == EACCES || errno == EPERM)
			image = hash_image(exe, bytes, (size_t)len);
		free(exe);
	}
	close(dir);
	return image;
}
