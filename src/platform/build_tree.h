/*
 * The processes of one build. Their environment has the run's cookie, in a variable that every descendant inherits, daemons
 * and orphans too.
 */
#ifndef PLATFORM_BUILD_TREE_H
#define PLATFORM_BUILD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of the variable. */
#define BUILD_COOKIE "STAGETRACE_RUN"

struct build_process {
	int64_t pid;
	char name[64]; /* image name, truncated */
};

struct build_tree {
	struct build_process *v;
	size_t nr, alloc;
};

#define BUILD_TREE_INIT \
	{ \
		NULL, 0, 0 \
	}

void build_tree_release(struct build_tree *tree);

/*
 * Find all running processes with BUILD_COOKIE=`cookie` in their environment, except the process `spare` (0: none)
 * and our own.
 */
void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree);

/* Ask all of them, except `spare`, to end; with `force` kill them. Returns their number. */
size_t build_tree_signal(const char *cookie, int64_t spare, bool force);

/*
 * End all of them except `spare`: ask them to end, kill those that still run after `grace_ns`. Returns their number
 * at first.
 */
size_t build_tree_end(const char *cookie, int64_t spare, int64_t grace_ns);

/*
 * Ask the process with this pid to end; with `force` kill it. Only for a process that was just found, as pids are
 * reused.
 */
void build_process_end(int64_t pid, bool force);

/*
 * Ask one process to end, or with `force` kill it: for processes that have lost the cookie (env -i, sudo).
 * `start_ns`, by clock_now(), identifies it: a later process with the same pid is not touched. False: it has ended.
 */
bool build_process_signal(int64_t pid, int64_t start_ns, bool force);

/* Resident memory of one process in bytes; -1: it has ended. */
int64_t build_process_resident(int64_t pid);

#endif
