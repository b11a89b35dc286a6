#include "platform/windows/process_end.h"

#include <windows.h>

#define INTERRUPTED 0xc000013a /* STATUS_CONTROL_C_EXIT */

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
