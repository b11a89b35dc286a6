#include "platform/interrupt.h"

#include <windows.h>

static volatile LONG count;

/* The system calls it in a thread of its own. */
static BOOL WINAPI handle(DWORD event)
{
	InterlockedIncrement(&count);
	if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
		return TRUE;
	/* The window closes, the user logs off: the process ends when this returns, or in 5 s. Take them. */
	Sleep(INFINITE);
	return TRUE;
}

void interrupt_catch(void)
{
	/* Twice is one too many: each handler would be called. */
	SetConsoleCtrlHandler(handle, FALSE);
	SetConsoleCtrlHandler(handle, TRUE);
}

int interrupt_count(void)
{
	return (int)InterlockedCompareExchange(&count, 0, 0);
}
