#include "support/windows/wine_starts.h"

#include <stdbool.h>
#include <stdio.h>
#include <windows.h>

#define TRIES 4

/* CreateProcessW() has no prototype of this name anywhere: the linker makes it of --wrap. */
typedef WINBOOL WINAPI create_process_fn(LPCWSTR, LPWSTR, LPSECURITY_ATTRIBUTES,
					 LPSECURITY_ATTRIBUTES, WINBOOL, DWORD, LPVOID, LPCWSTR,
					 LPSTARTUPINFOW, LPPROCESS_INFORMATION);
extern create_process_fn *__real___imp_CreateProcessW;

static LONG refused;

unsigned wine_starts_refused(void)
{
	return (unsigned)refused;
}

static bool is_wine(void)
{
	return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

static WINBOOL WINAPI create_process(LPCWSTR program, LPWSTR line, LPSECURITY_ATTRIBUTES process,
				     LPSECURITY_ATTRIBUTES thread, WINBOOL inherit, DWORD flags,
				     LPVOID env, LPCWSTR dir, LPSTARTUPINFOW startup,
				     LPPROCESS_INFORMATION made)
{
	for (int tries = 1;; tries++) {
		if (__real___imp_CreateProcessW(program, line, process, thread, inherit, flags, env,
						dir, startup, made))
			return TRUE;
		if (GetLastError() != ERROR_INTERNAL_ERROR || !is_wine() || tries == TRIES)
			return FALSE;
		fprintf(stderr, "NOTE Wine refused to start a process, %ld so far\n",
			InterlockedIncrement(&refused));
		fflush(stderr);
	}
}

create_process_fn *__wrap___imp_CreateProcessW = create_process;
