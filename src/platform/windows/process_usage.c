#define PSAPI_VERSION 2

#include "platform/windows/process_usage.h"

#include <windows.h>

#include <psapi.h>

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
