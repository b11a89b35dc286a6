/*
 * Control groups: how much memory and processor time the groups that this process is in leave it. Linux has them in two
 * versions, in one tree each or in one for each kind of limit; a limit counts for all groups below it.
 */
#ifndef PLATFORM_POSIX_GROUPS_H
#define PLATFORM_POSIX_GROUPS_H

#include <stdint.h>

#include "platform/host.h"

/* /proc/self/cgroup, and where the trees are mounted. */
struct groups_paths {
	const char *groups, *root;
};

extern const struct groups_paths groups_paths;

/* Set group_bytes, group_limit_bytes and oom_kills, if there is a limit of memory. */
void groups_read_memory(const struct groups_paths *paths, struct host_memory *memory);

/* What limits there are; -1: none. */
struct host_group groups_read_limits(const struct groups_paths *paths);

#endif
