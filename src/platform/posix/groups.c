#include "platform/posix/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/posix/value.h"
#include "util/alloc.h"

const struct groups_paths groups_paths = { "/proc/self/cgroup", "/sys/fs/cgroup" };

/* Version 1 has a number of this size where there is no limit. */
#define NO_LIMIT (INT64_MAX - ((int64_t)1 << 32))

/* Where a limit of memory is, and what is known with it. */
struct names {
	const char *limit, *used, *events, *swap;
};

static const struct names names_1 = { "memory.limit_in_bytes", "memory.usage_in_bytes",
				      "memory.oom_control", "memory.memsw.limit_in_bytes" };
static const struct names names_2 = { "memory.max", "memory.current", "memory.events",
				      "memory.swap.max" };

/* The number in `dir`/`name`, after `key`; -1: there is none, as "max". */
static int64_t read_number(const char *dir, const char *name, const char *key)
{
	char *path = xasprintf("%s/%s", dir, name);
	int64_t number = value_read_number(path, key);

	free(path);
	return number >= NO_LIMIT ? -1 : number;
}

static bool lists(const char *controllers, size_t len, const char *controller)
{
	size_t want = strlen(controller);

	while (len) {
		const char *comma = memchr(controllers, ',', len);
		size_t one = comma ? (size_t)(comma - controllers) : len;

		if (one == want && !memcmp(controllers, controller, want))
			return true;
		one += one < len;
		controllers += one;
		len -= one;
	}
	return false;
}

/* The directory of the group in a line "4:memory:/path" of the controller's tree; "": of version 2. NULL: another line. */
static char *group_of_line(const struct groups_paths *paths, char *line, const char *controller)
{
	char *controllers = strchr(line, ':'), *path;

	if (!controllers)
		return NULL;
	path = strchr(++controllers, ':');
	if (!path || path[1] != '/')
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	if (!*controller)
		return path == controllers ? xasprintf("%s%s", paths->root, path + 1) : NULL;
	return lists(controllers, (size_t)(path - controllers), controller)
		       ? xasprintf("%s/%s%s", paths->root, controller, path + 1)
		       : NULL;
}

static char *find_group(const struct groups_paths *paths, const char *controller)
{
	FILE *file = fopen(paths->groups, "re");
	char line[4096], *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file))
		found = group_of_line(paths, line, controller);
	if (file)
		fclose(file);
	return found;
}

/* The group of a controller, of version 1 if it has a tree of its own, else of version 2. NULL: there is none. */
static char *open_group(const struct groups_paths *paths, const char *controller, int *version)
{
	char *dir = find_group(paths, controller);

	*version = dir ? 1 : 2;
	return dir ? dir : find_group(paths, "");
}

/* From a group to the one around it; false: it is the root of its tree. */
static bool leave_group(const struct groups_paths *paths, char *dir, int version)
{
	size_t root = strlen(paths->root);
	char *slash = strrchr(dir, '/');

	/* Version 1: "root/memory" is the root. A group may end with "/". */
	if (version == 1)
		root += strcspn(dir + root + 1, "/") + 1;
	if (!slash || (size_t)(slash - dir) < root)
		return false;
	*slash = '\0';
	return true;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

void groups_read_memory(const struct groups_paths *paths, struct host_memory *memory)
{
	int version;
	char *dir = open_group(paths, "memory", &version);
	const struct names *names = version == 1 ? &names_1 : &names_2;

	if (!dir)
		return;
	do {
		int64_t limit = read_number(dir, names->limit, "");

		if (limit < 0 ||
		    least(memory->group_limit_bytes, limit) == memory->group_limit_bytes)
			continue;
		memory->group_limit_bytes = limit;
		memory->group_bytes = read_number(dir, names->used, "");
		memory->oom_kills = read_number(dir, names->events, "oom_kill ");
	} while (leave_group(paths, dir, version));
	free(dir);
}

/* Thousandths of processors; -1: no limit. */
static int64_t read_processors(const char *dir, int version)
{
	long long quota = -1, period = 0;

	if (version == 1) {
		quota = read_number(dir, "cpu.cfs_quota_us", "");
		period = read_number(dir, "cpu.cfs_period_us", "");
	} else {
		char *path = xasprintf("%s/cpu.max", dir), *text = value_read(path, "", "");

		if (!text || sscanf(text, "%lld %lld", &quota, &period) != 2)
			quota = -1;
		free(text);
		free(path);
	}
	return quota > 0 && period > 0 && quota < INT64_MAX / 1000 ? quota * 1000 / period : -1;
}

struct host_group groups_read_limits(const struct groups_paths *paths)
{
	struct host_group group = { -1, -1, -1, -1 };
	int version;
	char *dir = open_group(paths, "memory", &version);

	if (dir) {
		group.version = version;
		do {
			const struct names *names = version == 1 ? &names_1 : &names_2;

			group.memory_limit_bytes =
				least(group.memory_limit_bytes, read_number(dir, names->limit, ""));
			group.swap_limit_bytes =
				least(group.swap_limit_bytes, read_number(dir, names->swap, ""));
		} while (leave_group(paths, dir, version));
		free(dir);
	}
	dir = open_group(paths, "cpu", &version);
	if (dir) {
		do
			group.processors_milli =
				least(group.processors_milli, read_processors(dir, version));
		while (leave_group(paths, dir, version));
		free(dir);
	}
	return group;
}
