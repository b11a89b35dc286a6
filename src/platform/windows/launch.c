#include "platform/launch.h"

#include <stdlib.h>
#include <windows.h>

#include "platform/host.h"
#include "platform/windows/command_line.h"
#include "platform/windows/library.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"

/*
 * The desktop is not elevated, and a process with the desktop as its parent gets its token, so it is not elevated
 * either. NULL: there is no desktop, or it cannot be opened.
 */
static HANDLE open_desktop(void)
{
	HWND(WINAPI * get_shell)(void);
	DWORD(WINAPI * get_process)(HWND, DWORD *);
	DWORD pid = 0;
	HWND shell;

	if (!library_function(L"user32.dll", "GetShellWindow", &get_shell, sizeof(get_shell)) ||
	    !library_function(L"user32.dll", "GetWindowThreadProcessId", &get_process,
			      sizeof(get_process)))
		return NULL;
	shell = get_shell();
	if (!shell || !get_process(shell, &pid) || !pid)
		return NULL;
	return OpenProcess(PROCESS_CREATE_PROCESS, FALSE, pid);
}

/* Returns 0 or the system's error. */
static DWORD create(const wchar_t *program, wchar_t *line, wchar_t *block, HANDLE parent)
{
	STARTUPINFOEXW start = { .StartupInfo = { .cb = sizeof(start) } };
	PROCESS_INFORMATION process;
	SIZE_T size = 0;
	DWORD code = 0;

	InitializeProcThreadAttributeList(NULL, 1, 0, &size);
	start.lpAttributeList = xcalloc(1, size);
	if (!InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size) ||
	    (parent && !UpdateProcThreadAttribute(start.lpAttributeList, 0,
						  PROC_THREAD_ATTRIBUTE_PARENT_PROCESS, &parent,
						  sizeof(parent), NULL, NULL)) ||
	    !CreateProcessW(program, line, NULL, NULL, FALSE,
			    DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP |
				    CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
			    block, NULL, &start.StartupInfo, &process)) {
		code = GetLastError();
	} else {
		CloseHandle(process.hThread);
		CloseHandle(process.hProcess);
	}
	DeleteProcThreadAttributeList(start.lpAttributeList);
	free(start.lpAttributeList);
	return code;
}

int launch(const struct strvec *argv, const struct strvec *env, struct err *err)
{
	HANDLE desktop = host_is_admin() ? open_desktop() : NULL;
	wchar_t *program, *line, *block;
	DWORD code;

	if (command_line_join(argv, &line, err)) {
		if (desktop)
			CloseHandle(desktop);
		return -1;
	}
	program = wide_from_utf8(argv->v[0]);
	block = environment_with(env);
	code = create(program, line, block, desktop);
	/* Rather start it elevated than not at all. */
	if (code && desktop)
		code = create(program, line, block, NULL);
	if (desktop)
		CloseHandle(desktop);
	free(block);
	free(program);
	free(line);
	return code ? err_set_win32(err, code, "cannot run '%s'", argv->v[0]) : 0;
}
