/*
 * Run a program and kill it when it is about to rename a file for the Nth time:
 *
 *     kill-at N PROGRAM ARGUMENT...
 *
 * The exit code is 137 if the program was killed, else that of the program. kill-at is the debugger of the program, not of
 * its children, with a breakpoint on MoveFileExW, which has the same address in all processes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define KILLED 137

#define BREAKPOINT  0xcc
#define SINGLE_STEP 0x100

struct target {
	PROCESS_INFORMATION made;
	unsigned char *place, was;
	int left; /* renames to let pass */
	bool set, started;
};

static void put(const struct target *target, unsigned char byte)
{
	WriteProcessMemory(target->made.hProcess, target->place, &byte, 1, NULL);
	FlushInstructionCache(target->made.hProcess, target->place, 1);
}

/* Go on behind the breakpoint, which is taken away for one instruction. */
static void step_over(struct target *target, DWORD thread_id, bool again)
{
	HANDLE thread = OpenThread(THREAD_ALL_ACCESS, FALSE, thread_id);
	CONTEXT context = { .ContextFlags = CONTEXT_CONTROL };

	put(target, again ? BREAKPOINT : target->was);
	if (!again) {
		GetThreadContext(thread, &context);
		context.Rip = (DWORD64)(uintptr_t)target->place;
		context.EFlags |= SINGLE_STEP;
		SetThreadContext(thread, &context);
	}
	CloseHandle(thread);
}

static DWORD handle_exception(struct target *target, const DEBUG_EVENT *event)
{
	const EXCEPTION_RECORD *record = &event->u.Exception.ExceptionRecord;

	if (record->ExceptionCode == EXCEPTION_BREAKPOINT) {
		if (record->ExceptionAddress == target->place) {
			if (!target->left--)
				TerminateProcess(target->made.hProcess, KILLED);
			step_over(target, event->dwThreadId, false);
		} else if (!target->set) {
			/* The system's own, when all libraries are loaded. */
			put(target, BREAKPOINT);
			target->set = true;
		}
		return DBG_CONTINUE;
	}
	if (record->ExceptionCode == EXCEPTION_SINGLE_STEP) {
		step_over(target, event->dwThreadId, true);
		return DBG_CONTINUE;
	}
	return DBG_EXCEPTION_NOT_HANDLED;
}

static DWORD run(struct target *target)
{
	DEBUG_EVENT event;

	for (;;) {
		DWORD how = DBG_CONTINUE;

		if (!WaitForDebugEvent(&event, INFINITE)) {
			fprintf(stderr, "kill-at: cannot go on debugging: error %lu\n",
				GetLastError());
			return 1;
		}
		if (event.dwDebugEventCode == EXCEPTION_DEBUG_EVENT)
			how = handle_exception(target, &event);
		else if (event.dwDebugEventCode == CREATE_PROCESS_DEBUG_EVENT ||
			 event.dwDebugEventCode == LOAD_DLL_DEBUG_EVENT)
			CloseHandle(event.u.CreateProcessInfo.hFile);
		ContinueDebugEvent(event.dwProcessId, event.dwThreadId, how);
		if (event.dwDebugEventCode == EXIT_PROCESS_DEBUG_EVENT)
			return event.u.ExitProcess.dwExitCode;
	}
}

/* What follows the first two words of our command line, which have no blanks in them. */
static wchar_t *rest_of_line(void)
{
	wchar_t *line = GetCommandLineW();

	for (int words = 0; words < 2; words++) {
		line += *line == L'"' ? wcscspn(line + 1, L"\"") + 2 : wcscspn(line, L" ");
		line += wcsspn(line, L" ");
	}
	return line;
}

/* What -municode calls. */
int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
	FARPROC place = GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "MoveFileExW");
	STARTUPINFOW startup = { .cb = sizeof(startup) };
	struct target target = { .place = (unsigned char *)(uintptr_t)place };

	if (argc < 3) {
		fprintf(stderr, "usage: kill-at N PROGRAM ARGUMENT...\n");
		return 2;
	}
	target.left = _wtoi(argv[1]) - 1;
	target.was = *target.place;
	if (!CreateProcessW(NULL, rest_of_line(), NULL, NULL, TRUE, DEBUG_ONLY_THIS_PROCESS, NULL,
			    NULL, &startup, &target.made)) {
		fprintf(stderr, "kill-at: cannot run '%ls': error %lu\n", argv[2], GetLastError());
		return 1;
	}
	return (int)run(&target);
}
