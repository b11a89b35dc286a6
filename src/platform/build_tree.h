/*
 * The processes of one build, wherever they have ended up: found by a mark in their environment, which every
 * descendant inherits, daemons and orphans too.
 */
#ifndef PLATFORM_BUILD_TREE_H
#define PLATFORM_BUILD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The variable; its value is a run's cookie. */
#define BUILD_MARK "STAGETRACE_RUN"

struct build_process {
	int64_t pid;
	char name[64]; /* image name, cut */
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

/* Find all living processes that carry BUILD_MARK=`cookie`, but `spare` (0: none) and ourselves. */
void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree);

/* Ask all of them (but `spare`) to end, or kill them with `force`; returns how many there are. */
size_t build_tree_signal(const char *cookie, int64_t spare, bool force);

/*
 * End them: asked first, killed after `grace_ns`, until none is left. `spare` is let live. Returns how many
 * there were at first.
 */
size_t build_tree_end(const char *cookie, int64_t spare, int64_t grace_ns);

/* Ask whoever has the number to end, or kill it with `force`: for a process that has just been found. */
void build_process_end(int64_t pid, bool force);

/*
 * Ask one process to end, or kill it with `force`, by its number and start (clock): for those that have dropped the
 * mark (env -i, sudo). A later process of that number is let be; false where it is gone.
 */
bool build_process_signal(int64_t pid, int64_t start_ns, bool force);

/* Resident memory of one process in bytes; -1 where it is gone. */
int64_t build_process_resident(int64_t pid);

#endif
