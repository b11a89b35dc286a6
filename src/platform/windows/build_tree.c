/*
 * Processes are asked to end by a Ctrl-Break to their process group, if its leader has the cookie (child_start()
 * makes a group for each command): all processes of the group get it and end, unless they handle it. A process in no
 * such group can only be killed.
 */
#define PSAPI_VERSION 2

#include "platform/build_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <psapi.h>

#include "platform/clock.h"
#include "platform/windows/process.h"
#include "platform/windows/wide.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

#define FILETIME_NS 100

static wchar_t *wide_cookie(const char *cookie)
{
	struct strbuf variable = STRBUF_INIT;
	wchar_t *wide;

	strbuf_addf(&variable, BUILD_COOKIE "=%s", cookie);
	wide = wide_from_utf8(variable.buf);
	strbuf_release(&variable);
	return wide;
}

static HANDLE open_for_reading(int64_t pid)
{
	return OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE, FALSE,
			   (DWORD)pid);
}

/* Whether the process runs and has the cookie (NULL: any). `*group` gets its process group. */
static bool has_cookie(int64_t pid, const wchar_t *variable, int64_t *group)
{
	HANDLE process = open_for_reading(pid);
	struct process_params params;
	bool found = false;

	if (!process)
		return false;
	if (!process_is_over(process) && process_params_read(process, &params) == PARAMS_READ) {
		found = !variable || process_params_has_env(&params, variable);
		*group = params.group;
		process_params_release(&params);
	}
	CloseHandle(process);
	return found;
}

static void add_process(struct build_tree *tree, const struct system_process *process)
{
	char *name = wide_to_utf8_len(process->name, process->name_len);
	struct build_process *added;

	ARRAY_GROW(tree->v, tree->nr + 1, tree->alloc);
	added = &tree->v[tree->nr++];
	added->pid = process->pid;
	snprintf(added->name, sizeof(added->name), "%s", name);
	free(name);
}

void build_tree_find(const char *cookie, int64_t spare, struct build_tree *tree)
{
	struct system_processes all = { .v = NULL };
	wchar_t *variable = wide_cookie(cookie);
	int64_t group;

	tree->nr = 0;
	system_processes_read(&all);
	for (size_t i = 0; i < all.nr; i++) {
		int64_t pid = all.v[i].pid;

		if (pid > 0 && pid != spare && pid != (int64_t)GetCurrentProcessId() &&
		    !system_process_is_console(&all.v[i]) && has_cookie(pid, variable, &group))
			add_process(tree, &all.v[i]);
	}
	free(variable);
	system_processes_release(&all);
}

void build_process_end(int64_t pid, bool force)
{
	int64_t group = 0;

	if (force)
		process_kill(pid);
	else if (has_cookie(pid, NULL, &group) && group == pid)
		process_group_interrupt(pid);
}

/* The start of the process, by our clock. */
static int64_t start_of(HANDLE process)
{
	struct process_usage usage;
	FILETIME now;

	process_usage_read(process, &usage);
	GetSystemTimePreciseAsFileTime(&now);
	return clock_now() -
	       ((int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - usage.created) *
		       FILETIME_NS;
}

bool build_process_signal(int64_t pid, int64_t start_ns, bool force)
{
	HANDLE process = pid > 0 ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE,
					       FALSE, (DWORD)pid)
				 : NULL;
	bool same;

	if (!process)
		return false;
	/* The system has the start as a date: that clock moves in steps, and may have been set since. */
	same = !process_is_over(process) && start_of(process) <= start_ns + NS_PER_S;
	if (same)
		build_process_end(pid, force);
	CloseHandle(process);
	return same;
}

int64_t build_process_resident(int64_t pid)
{
	HANDLE process =
		OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)pid);
	PROCESS_MEMORY_COUNTERS counters;
	int64_t bytes = -1;

	if (!process)
		return -1;
	if (!process_is_over(process) && GetProcessMemoryInfo(process, &counters, sizeof(counters)))
		bytes = (int64_t)counters.WorkingSetSize;
	CloseHandle(process);
	return bytes;
}
