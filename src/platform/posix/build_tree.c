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

#include "platform/clock.h"
#include "platform/posix/procfs.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* All of a /proc file, whose size is not known before; false where the process is gone or not ours. */
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

static bool has_mark(const struct strbuf *env, const char *mark)
{
	const char *s = env->buf, *end = env->buf + env->len;

	while (s < end) {
		if (!strcmp(s, mark))
			return true;
		s += strlen(s) + 1;
	}
	return false;
}

/* A zombie has no environment any more, so what has the mark is alive. */
static void add_if_marked(const char *pid, const char *mark, struct strbuf *sb,
			  struct build_tree *tree)
{
	struct build_process *process;

	if (!read_proc(pid, "environ", sb) || !has_mark(sb, mark))
		return;
	ARRAY_GROW(tree->v, tree->nr + 1, tree->alloc);
	process = &tree->v[tree->nr++];
	process->pid = atoll(pid);
	read_proc(pid, "comm", sb);
	sb->buf[strcspn(sb->buf, "\n")] = '\0';
	snprintf(process->name, sizeof(process->name), "%s", sb->buf);
}

void build_tree_release(struct build_tree *tree)
{
	free(tree->v);
	*tree = (struct build_tree)BUILD_TREE_INIT;
}

void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree)
{
	struct strbuf mark = STRBUF_INIT, sb = STRBUF_INIT;
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	tree->nr = 0;
	strbuf_addf(&mark, BUILD_MARK "=%s", cookie);
	while (dir && (entry = readdir(dir))) {
		int64_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoll(entry->d_name) : 0;

		if (pid > 0 && pid != spare && pid != getpid())
			add_if_marked(entry->d_name, mark.buf, &sb, tree);
	}
	if (dir)
		closedir(dir);
	strbuf_release(&sb);
	strbuf_release(&mark);
}

size_t build_tree_signal(const char *cookie, int64_t spare, bool force)
{
	struct build_tree tree = BUILD_TREE_INIT;
	size_t count;

	build_tree_find(cookie, spare, &tree);
	count = tree.nr;
	for (size_t i = 0; i < count; i++)
		kill((pid_t)tree.v[i].pid, force ? SIGKILL : SIGTERM);
	build_tree_release(&tree);
	return count;
}

size_t build_tree_end(const char *cookie, int64_t spare, int64_t grace_ns)
{
	int64_t now = clock_now(), kill_at = now + grace_ns, call_at = now;
	struct build_tree tree = BUILD_TREE_INIT;
	size_t first = 0;
	int empty = 0;

	/* A few seconds past the grace: what not even a kill ends (in a system call) can't be helped. */
	for (; now < kill_at + 5 * NS_PER_S; now = clock_now()) {
		build_tree_find(cookie, spare, &tree);
		/* In the middle of an exec a process shows no environment: one look is not enough. */
		empty = tree.nr ? 0 : empty + 1;
		if (empty == 2)
			break;
		if (!first)
			first = tree.nr;
		/* Again every second: what was started in between has not heard the first call. */
		if (tree.nr && (now >= call_at || now >= kill_at)) {
			build_tree_signal(cookie, spare, now >= kill_at);
			call_at = now + NS_PER_S;
		}
		clock_sleep(20 * NS_PER_MS);
	}
	build_tree_release(&tree);
	return first;
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
