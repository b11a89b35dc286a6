#include "platform/build_tree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/posix/procfs.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

static bool has_cookie(const struct strbuf *env, const char *variable)
{
	const char *s = env->buf, *end = env->buf + env->len;

	while (s < end) {
		if (!strcmp(s, variable))
			return true;
		s += strlen(s) + 1;
	}
	return false;
}

/* A zombie has no environment any more, so a process with the cookie is alive. */
static void add_if_tracked(int64_t pid, const char *variable, struct strbuf *sb,
			   struct build_tree *tree)
{
	struct build_process *process;

	procfs_read(pid, "environ", sb);
	if (!has_cookie(sb, variable))
		return;
	ARRAY_GROW(tree->v, tree->nr + 1, tree->alloc);
	process = &tree->v[tree->nr++];
	process->pid = pid;
	procfs_read(pid, "comm", sb);
	sb->buf[strcspn(sb->buf, "\n")] = '\0';
	snprintf(process->name, sizeof(process->name), "%s", sb->buf);
}

void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree)
{
	struct strbuf variable = STRBUF_INIT, sb = STRBUF_INIT;
	int64_t *pids;
	size_t nr;

	tree->nr = 0;
	strbuf_addf(&variable, BUILD_COOKIE "=%s", cookie);
	(void)procfs_list(&pids, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (pids[i] != spare && pids[i] != getpid())
			add_if_tracked(pids[i], variable.buf, &sb, tree);
	}
	free(pids);
	strbuf_release(&sb);
	strbuf_release(&variable);
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

	procfs_read(pid, "statm", &sb);
	if (sscanf(sb.buf, "%*s %lld", &pages) != 1)
		pages = -1;
	strbuf_release(&sb);
	return pages < 0 ? -1 : (int64_t)pages * sysconf(_SC_PAGESIZE);
}
