/*
 * The most private resident memory that each process of a name has, to compare touched memory with: the kernel keeps the
 * highest resident memory of a process (VmHWM), but with the pages of files.
 *
 *     watch-resident NAME    a line for each process on stdout at the end, when stdin ends: pid, bytes
 *
 * /proc/PID/statm (proc(5)): pages resident, and of these shared, which are those of files and of shared memory. It is read
 * some 500 times a second; what a process has for a shorter time is missed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

#define EACH_MS   2
#define SEARCH_MS 20 /* for new processes */

struct watched {
	int64_t pid, most; /* pages */
	int statm;         /* -1: it has ended */
};

struct list {
	struct watched *v;
	size_t nr, alloc;
	struct intmap seen; /* pids of v, and of processes with other names */
};

static bool is_named(const char *pid, const char *name)
{
	char *path = xasprintf("/proc/%s/comm", pid), line[32] = "";
	FILE *file = fopen(path, "r");
	bool is = file && fgets(line, sizeof(line), file);

	if (file)
		fclose(file);
	free(path);
	line[strcspn(line, "\n")] = '\0';
	return is && !strcmp(line, name);
}

static void find_new(struct list *list, const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		int64_t pid = atoll(entry->d_name);
		FILE *file;
		char *path;

		if (pid <= 0 || intmap_get(&list->seen, pid) || !is_named(entry->d_name, name))
			continue;
		intmap_put(&list->seen, pid, list);
		path = xasprintf("/proc/%s/statm", entry->d_name);
		file = fopen(path, "r");
		if (file) {
			ARRAY_ADD(list->v, list->nr, list->alloc,
				  (struct watched){ pid, 0, dup(fileno(file)) });
			fclose(file);
		}
		free(path);
	}
	if (proc)
		closedir(proc);
}

static void read_one(struct watched *watched)
{
	long long resident, shared;
	char line[128];
	ssize_t got = pread(watched->statm, line, sizeof(line) - 1, 0);

	if (got <= 0) {
		close(watched->statm);
		watched->statm = -1;
		return;
	}
	line[got] = '\0';
	if (sscanf(line, "%*s %lld %lld", &resident, &shared) == 2 &&
	    resident - shared > watched->most)
		watched->most = resident - shared;
}

int main(int argc, char **argv)
{
	struct list list = { .v = NULL };
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	if (argc != 2) {
		fprintf(stderr, "usage: watch-resident NAME\n");
		return 2;
	}
	for (unsigned i = 0; poll(&input, 1, EACH_MS) == 0; i++) {
		if (i % (SEARCH_MS / EACH_MS) == 0)
			find_new(&list, argv[1]);
		for (size_t k = 0; k < list.nr; k++) {
			if (list.v[k].statm >= 0)
				read_one(&list.v[k]);
		}
	}
	for (size_t i = 0; i < list.nr; i++)
		printf("%lld %lld\n", (long long)list.v[i].pid,
		       (long long)(list.v[i].most * sysconf(_SC_PAGESIZE)));
	intmap_release(&list.seen);
	free(list.v);
	return 0;
}
