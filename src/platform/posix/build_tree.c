#include "platform/build_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/posix/procfs.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* Read all of a /proc file, whose size is unknown. False: the process has ended, or may not be read. */
static bool read_proc(const char *pid, const char *name, struct strbuf *sb)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	strbuf_clear(sb);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		strbuf_grow(sb, 16384);
		got = read(fd, sb->buf + sb->len, 16384);
		if (got > 0)
			strbuf_set_len(sb, sb->len + (size_t)got);
	} while (got > 0);
	close(fd);
	return sb->len > 0;
}

static bool has_marker(const struct strbuf *env, const char *marker)
{
	const char *s = env->buf, *end = env->buf + env->len;

	while (s < end) {
		if (!strcmp(s, marker))
			return true;
		s += strlen(s) + 1;
	}
	return false;
}

/* A zombie has no environment any more, so a process with the marker is alive. */
static void add_if_tracked(const char *pid, const char *marker, struct strbuf *sb,
			   struct build_tree *tree)
{
	struct build_process *process;

	if (!read_proc(pid, "environ", sb) || !has_marker(sb, marker))
		return;
	ARRAY_GROW(tree->v, tree->nr + 1, tree->alloc);
	process = &tree->v[tree->nr++];
	process->pid = atoll(pid);
	read_proc(pid, "comm", sb);
	sb->buf[strcspn(sb->buf, "\n")] = '\0';
	snprintf(process->name, sizeof(process->name), "%s", sb->buf);
}

void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree)
{
	struct strbuf marker = STRBUF_INIT, sb = STRBUF_INIT;
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	tree->nr = 0;
	strbuf_addf(&marker, BUILD_MARKER "=%s", cookie);
	while (dir && (entry = readdir(dir))) {
		int64_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoll(entry->d_name) : 0;

		if (pid > 0 && pid != spare && pid != getpid())
			add_if_tracked(entry->d_name, marker.buf, &sb, tree);
	}
	if (dir)
		closedir(dir);
	strbuf_release(&sb);
	strbuf_release(&marker);
}

void build_process_end(int64_t pid, bool force)
{
	kill((pid_t)pid, force ? SIGKILL : SIGTERM);
}

bool build_process_signal(int64_t pid, int64_t start_ns, bool force)
{
	struct procfs_stat stat;

	/* The start in /proc is a tick of 10 ms, rounded down. */
	if (pid <= 1 || !procfs_read_stat(pid, &stat) || stat.state == 'Z' ||
	    stat.start_ns > start_ns + 20 * NS_PER_MS)
		return false;
	return !kill((pid_t)pid, force ? SIGKILL : SIGTERM);
}

int64_t build_process_resident(int64_t pid)
{
	struct strbuf sb = STRBUF_INIT;
	long long pages = -1;
	char name[24];

	snprintf(name, sizeof(name), "%lld", (long long)pid);
	if (read_proc(name, "statm", &sb) && sscanf(sb.buf, "%*s %lld", &pages) != 1)
		pages = -1;
	strbuf_release(&sb);
	return pages < 0 ? -1 : (int64_t)pages * sysconf(_SC_PAGESIZE);
}
