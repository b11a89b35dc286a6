/*
 * For tests of the process watch: start a watch, run this program again as the process to track, check the events.
 */
#ifndef TESTS_UNIT_WINDOWS_WATCH_LOG_H
#define TESTS_UNIT_WINDOWS_WATCH_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "unit/event_log.h"
#include "util/array.h"
#include "util/text.h"

static inline void log_start(struct log *log)
{
	log_open(log, 0);
}

static inline const struct proc_event *must_find(const struct log *log, int64_t pid,
						 enum proc_event_kind kind)
{
	const struct proc_event *event = find(log, pid, kind, 0);

	if (!event)
		fail_msg("no event %d of process %lld among %zu", kind, (long long)pid, log->nr);
	if (find(log, pid, kind, 1))
		fail_msg("more than one event %d of process %lld", kind, (long long)pid);
	return event;
}

/* Added to the system's error: exit code of a child that could not start another. */
#define NOT_STARTED 0xe0000000

/* Start this program again, paused until resume(); `args` is a part of a command line. */
static inline PROCESS_INFORMATION start_held(const wchar_t *args, DWORD flags)
{
	static wchar_t line[32768];
	wchar_t self[MAX_PATH];
	STARTUPINFOW startup = { .cb = sizeof(startup) };
	PROCESS_INFORMATION info;

	GetModuleFileNameW(NULL, self, MAX_PATH);
	swprintf(line, ARRAY_SIZE(line), L"\"%ls\" %ls", self, args);
	if (!CreateProcessW(self, line, NULL, NULL, FALSE, CREATE_SUSPENDED | flags, NULL, NULL,
			    &startup, &info))
		ExitProcess(NOT_STARTED | GetLastError());
	return info;
}

static inline DWORD resume(const PROCESS_INFORMATION *info)
{
	ResumeThread(info->hThread);
	CloseHandle(info->hThread);
	return info->dwProcessId;
}

static inline DWORD wait_for(const PROCESS_INFORMATION *info)
{
	DWORD exit_code = 0;

	WaitForSingleObject(info->hProcess, INFINITE);
	GetExitCodeProcess(info->hProcess, &exit_code);
	CloseHandle(info->hProcess);
	return exit_code;
}

/* Start a tracked process and wait for its end. Returns its pid. */
static inline int64_t run_tracked(struct log *log, const wchar_t *args)
{
	PROCESS_INFORMATION info = start_held(args, 0);

	proc_watch_add_root(log->watch, info.dwProcessId, true);
	resume(&info);
	wait_for(&info);
	return info.dwProcessId;
}

#endif
