#include "platform/windows/system_processes.h"

#include <stdlib.h>
#include <wchar.h>
#include <windows.h>
#include <winternl.h>

#include "util/array.h"

#define FIRST_SIZE      ((size_t)1 << 20)
#define MAX_SIZE        ((size_t)256 << 20)
#define LENGTH_MISMATCH ((NTSTATUS)0xC0000004)

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
