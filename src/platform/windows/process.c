#define PSAPI_VERSION 2

#include "platform/windows/process.h"

#include <stdlib.h>
#include <windows.h>
#include <winternl.h>

#include <psapi.h>

#include "platform/process_id.h"
#include "util/alloc.h"
#include "util/array.h"

#define FIRST_SIZE      ((size_t)1 << 20)
#define MAX_SIZE        ((size_t)256 << 20)
#define LENGTH_MISMATCH ((NTSTATUS)0xC0000004)
#define INTERRUPTED     0xc000013a /* STATUS_CONTROL_C_EXIT */

bool process_usage_needs_list(void)
{
	return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

static int64_t as_number(FILETIME time)
{
	return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

void process_usage_read(void *process, struct process_usage *usage)
{
	bool lies = process_usage_needs_list();
	FILETIME created, exited, kernel, user;
	PROCESS_MEMORY_COUNTERS counters;

	*usage = (struct process_usage){ 0, 0, -1, -1, -1 };
	if (GetProcessTimes(process, &created, &exited, &kernel, &user)) {
		usage->created = as_number(created);
		usage->exited = as_number(exited);
		if (!lies)
			usage->cpu_ns = (as_number(kernel) + as_number(user)) * 100;
	}
	if (GetProcessMemoryInfo(process, &counters, sizeof(counters)) &&
	    counters.PeakWorkingSetSize) {
		usage->peak_resident_bytes = (int64_t)counters.PeakWorkingSetSize;
		usage->peak_commit_bytes = (int64_t)counters.PeakPagefileUsage;
	}
}

bool process_is_over(void *process)
{
	FILETIME created, exited, kernel, user;

	if (WaitForSingleObject(process, 0) != WAIT_OBJECT_0)
		return false;
	return !GetProcessTimes(process, &created, &exited, &kernel, &user) || as_number(exited);
}

void system_processes_release(struct system_processes *processes)
{
	free(processes->v);
	free(processes->buffer);
	*processes = (struct system_processes)SYSTEM_PROCESSES_INIT;
}

static void add(struct system_processes *processes, const SYSTEM_PROCESS_INFORMATION *info)
{
	/* The idle process, and on Wine one that is only being created. */
	if (!info->ImageName.Length)
		return;
	ARRAY_GROW(processes->v, processes->nr + 1, processes->alloc);
	processes->v[processes->nr++] = (struct system_process){
		.pid = (int64_t)(intptr_t)info->UniqueProcessId,
		.ppid = (int64_t)(intptr_t)info->InheritedFromUniqueProcessId,
		.created = info->CreateTime.QuadPart,
		.cpu_ns = (info->UserTime.QuadPart + info->KernelTime.QuadPart) * 100,
		.resident_bytes = (int64_t)info->VirtualMemoryCounters.WorkingSetSize,
		.peak_resident_bytes = (int64_t)info->VirtualMemoryCounters.PeakWorkingSetSize,
		.peak_commit_bytes = (int64_t)info->VirtualMemoryCounters.PeakPagefileUsage,
		.name = info->ImageName.Buffer,
		.name_len = info->ImageName.Length / sizeof(wchar_t),
	};
}

static bool fill(struct system_processes *processes)
{
	ULONG needed = 0;
	NTSTATUS status;

	if (!processes->buffer) {
		processes->buffer_size = FIRST_SIZE;
		processes->buffer = xmalloc(FIRST_SIZE);
	}
	while ((status = NtQuerySystemInformation(SystemProcessInformation, processes->buffer,
						  (ULONG)processes->buffer_size, &needed)) ==
		       LENGTH_MISMATCH &&
	       processes->buffer_size < MAX_SIZE) {
		processes->buffer_size *= 2;
		free(processes->buffer);
		processes->buffer = xmalloc(processes->buffer_size);
	}
	return status >= 0;
}

bool system_processes_read(struct system_processes *processes)
{
	const char *at;

	processes->nr = 0;
	if (!fill(processes))
		return false;
	for (at = processes->buffer;;) {
		const SYSTEM_PROCESS_INFORMATION *info = (const void *)at;

		add(processes, info);
		if (!info->NextEntryOffset)
			return true;
		at += info->NextEntryOffset;
	}
}

bool system_process_is_console(const struct system_process *process)
{
	static const wchar_t name[] = L"conhost.exe";

	return process->name_len == wcslen(name) &&
	       !_wcsnicmp(process->name, name, process->name_len);
}

void process_group_interrupt(int64_t pid)
{
	if (GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)pid) || !AttachConsole((DWORD)pid))
		return;
	GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)pid);
	FreeConsole();
}

void process_kill(int64_t pid)
{
	HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, (DWORD)pid);

	if (!process)
		return;
	TerminateProcess(process, INTERRUPTED);
	CloseHandle(process);
}

char *process_id(int64_t pid)
{
	HANDLE process = pid > 0 ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE,
					       FALSE, (DWORD)pid)
				 : NULL;
	struct process_usage usage;
	char *id = NULL;

	if (!process)
		return NULL;
	if (!process_is_over(process)) {
		process_usage_read(process, &usage);
		id = xasprintf("%lld@%lld", (long long)pid, (long long)usage.created);
	}
	CloseHandle(process);
	return id;
}
