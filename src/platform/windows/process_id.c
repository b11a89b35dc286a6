#include "platform/process_id.h"

#include <windows.h>

#include "platform/windows/process_usage.h"
#include "util/alloc.h"

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
