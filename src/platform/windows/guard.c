/*
 * The guard is this program, started again; its command line is recognised before main() runs. Only a process can act
 * after stagetrace was killed. (A job that ends all its processes with us would end the profiler too, with its file
 * half written, and would not restore settings.) The guard has no console, so that closing ours does not end it, and
 * is outside our job if that is permitted.
 */
#include "platform/guard.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/guard_process.h"
#include "platform/windows/process.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/strbuf.h"

#define PROGRAM L"stagetrace-guard"

#define DISMISS_MS 10000

struct guard {
	HANDLE process;
	HANDLE orders;
};

void guard_profiler_end(int64_t pid, bool force)
{
	if (force)
		process_kill(pid);
	else
		process_group_interrupt(pid);
}

static _Noreturn void run_guard(HANDLE orders)
{
	struct strbuf text = STRBUF_INIT;
	struct guard_state state = GUARD_STATE_INIT;
	char block[4096], *newline;
	DWORD got;

	while (ReadFile(orders, block, sizeof(block), &got, NULL) && got) {
		strbuf_add(&text, block, got);
		while ((newline = memchr(text.buf, '\n', text.len))) {
			char *line = xstrndup(text.buf, (size_t)(newline - text.buf));
			size_t rest = text.len - strlen(line) - 1;

			memmove(text.buf, newline + 1, rest);
			strbuf_set_len(&text, rest);
			if (!guard_state_obey(&state, line))
				ExitProcess(0);
			free(line);
		}
	}
	guard_state_clean_up(&state);
	ExitProcess(0);
}

/* Runs before main() in every program that this file is linked into; returns unless the process is a guard. */
__attribute__((constructor)) static void serve(void)
{
	const wchar_t *line = GetCommandLineW();
	size_t len = wcslen(PROGRAM);

	if (!wcsncmp(line, PROGRAM, len) && line[len] == L' ')
		run_guard((HANDLE)(uintptr_t)_wcstoui64(line + len + 1, NULL, 10));
}

static wchar_t *own_path(void)
{
	wchar_t *path = xcalloc(0x8000, sizeof(*path));

	GetModuleFileNameW(NULL, path, 0x8000);
	return path;
}

/*
 * The guard inherits only its end of the pipe: otherwise the reader of another pipe, as `tee`, would wait until the
 * guard ends.
 */
static bool create(const wchar_t *path, wchar_t *line, LPPROC_THREAD_ATTRIBUTE_LIST handles,
		   PROCESS_INFORMATION *made)
{
	STARTUPINFOEXW startup = { .StartupInfo = { .cb = sizeof(startup) },
				   .lpAttributeList = handles };
	DWORD flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT;
	wchar_t dir[MAX_PATH + 1] = L"";

	GetSystemDirectoryW(dir, MAX_PATH);
	return CreateProcessW(path, line, NULL, NULL, TRUE, flags | CREATE_BREAKAWAY_FROM_JOB, NULL,
			      dir, &startup.StartupInfo, made) ||
	       CreateProcessW(path, line, NULL, NULL, TRUE, flags, NULL, dir, &startup.StartupInfo,
			      made);
}

static bool start_process(HANDLE orders, PROCESS_INFORMATION *made)
{
	LPPROC_THREAD_ATTRIBUTE_LIST handles;
	wchar_t line[64], *path = own_path();
	bool fine = false;
	SIZE_T size = 0;

	swprintf(line, 64, PROGRAM L" %llu", (unsigned long long)(uintptr_t)orders);
	InitializeProcThreadAttributeList(NULL, 1, 0, &size);
	handles = xmalloc(size);
	if (InitializeProcThreadAttributeList(handles, 1, 0, &size)) {
		fine = UpdateProcThreadAttribute(handles, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
						 &orders, sizeof(orders), NULL, NULL) &&
		       create(path, line, handles, made);
		DeleteProcThreadAttributeList(handles);
	}
	free(handles);
	free(path);
	return fine;
}

int guard_process_start(struct guard **guard, struct err *err)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	PROCESS_INFORMATION made;
	HANDLE in, out;

	if (!CreatePipe(&in, &out, &inherited, 65536))
		return err_set_win32(err, GetLastError(), "cannot create a pipe");
	SetHandleInformation(out, HANDLE_FLAG_INHERIT, 0);
	if (!start_process(in, &made)) {
		err_set_win32(err, GetLastError(), "cannot start the guard process");
		CloseHandle(in);
		CloseHandle(out);
		return -1;
	}
	CloseHandle(in);
	CloseHandle(made.hThread);
	*guard = xmalloc(sizeof(**guard));
	**guard = (struct guard){ made.hProcess, out };
	return 0;
}

bool guard_lives(const struct guard *guard)
{
	return WaitForSingleObject(guard->process, 0) == WAIT_TIMEOUT;
}

void guard_process_send(struct guard *guard, const char *line)
{
	DWORD written;

	(void)!WriteFile(guard->orders, line, (DWORD)strlen(line), &written, NULL);
}

void guard_process_leave(struct guard *guard, bool wait)
{
	if (wait)
		WaitForSingleObject(guard->process, DISMISS_MS);
	CloseHandle(guard->orders);
	CloseHandle(guard->process);
	free(guard);
}
