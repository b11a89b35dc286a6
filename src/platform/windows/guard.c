/*
 * The guard is this program once more, known by its command line before main() is: nothing else can outlive a
 * stagetrace that is killed and still act. (A job that ends all with us would end the recorder too, with its file half
 * written, and puts no setting back.) It has no console, so that closing ours is nothing to it, and is in no
 * job of ours where that can be had.
 *
 * It reads lines from a pipe: "cookie TEXT", "recorder PID", "undo SETTING<tab>VALUE", "later", "bye". The end of the
 * pipe without a "bye" means that stagetrace is gone.
 */
#include "platform/guard.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/setting.h"
#include "platform/windows/process_end.h"
#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/text.h"

#define PROGRAM L"stagetrace-guard"

#define GRACE_NS          (3 * NS_PER_S)
#define UNDO_PATIENCE_NS  (24 * 3600 * NS_PER_S)
#define RECORDER_GRACE_MS 60000
#define DISMISS_MS        10000

struct guard {
	HANDLE process;
	HANDLE orders;
};

/* What the guard has been told. */
struct duty {
	char *cookie;
	int64_t recorder_pid;
	HANDLE recorder; /* NULL: none; holds its number */
	struct strvec undos;
};

static void end_recorder(const struct duty *duty)
{
	if (!duty->recorder || WaitForSingleObject(duty->recorder, 0) == WAIT_OBJECT_0)
		return;
	process_group_interrupt(duty->recorder_pid);
	if (WaitForSingleObject(duty->recorder, RECORDER_GRACE_MS) != WAIT_OBJECT_0)
		process_kill(duty->recorder_pid);
}

/* SETTING, a tab, VALUE with its blanks and tabs; false where it can't be written now. */
static bool undo(const char *line)
{
	const char *tab = strchr(line, '\t');
	struct err err = ERR_INIT;
	char *name;
	int rc;

	if (!tab)
		return true;
	name = xstrndup(line, (size_t)(tab - line));
	rc = setting_write(name, tab + 1, &err);
	free(name);
	err_clear(&err);
	return !rc;
}

static void undo_all(struct strvec *undos)
{
	int64_t end = clock_now() + UNDO_PATIENCE_NS;

	while (undos->nr && clock_now() < end) {
		for (size_t i = undos->nr; i-- > 0;) {
			if (undo(undos->v[i]))
				strvec_remove(undos, i);
		}
		if (undos->nr)
			clock_sleep(NS_PER_S / 2);
	}
}

static _Noreturn void take_over(struct duty *duty)
{
	build_tree_end(duty->cookie, duty->recorder_pid, GRACE_NS);
	end_recorder(duty);
	build_tree_end(duty->cookie, 0, 0);
	undo_all(&duty->undos);
	ExitProcess(0);
}

static void set_recorder(struct duty *duty, int64_t pid)
{
	if (duty->recorder)
		CloseHandle(duty->recorder);
	duty->recorder = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)pid);
	duty->recorder_pid = duty->recorder ? pid : 0;
}

static void obey(struct duty *duty, const char *line)
{
	if (!strcmp(line, "bye"))
		ExitProcess(0);
	if (!strcmp(line, "later")) {
		undo_all(&duty->undos);
		ExitProcess(0);
	}
	if (text_starts_with(line, "cookie ")) {
		free(duty->cookie);
		duty->cookie = xstrdup(line + strlen("cookie "));
	} else if (text_starts_with(line, "recorder ")) {
		set_recorder(duty, atoll(line + strlen("recorder ")));
	} else if (text_starts_with(line, "undo ")) {
		strvec_push(&duty->undos, line + strlen("undo "));
	}
}

static _Noreturn void run_guard(HANDLE orders)
{
	struct strbuf text = STRBUF_INIT;
	struct duty duty = { .undos = STRVEC_INIT };
	char block[4096], *newline;
	DWORD got;

	while (ReadFile(orders, block, sizeof(block), &got, NULL) && got) {
		strbuf_add(&text, block, got);
		while ((newline = memchr(text.buf, '\n', text.len))) {
			char *line = xstrndup(text.buf, (size_t)(newline - text.buf));
			size_t rest = text.len - strlen(line) - 1;

			memmove(text.buf, newline + 1, rest);
			strbuf_set_len(&text, rest);
			obey(&duty, line);
			free(line);
		}
	}
	/* It went before it said for what. */
	if (!duty.cookie)
		ExitProcess(0);
	take_over(&duty);
}

/* Runs before main() in every program with this in it, and returns in all but a guard. */
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

/* It inherits its end of the pipe and nothing else: a pipe to a waiting `tee` least of all. */
static bool create(const wchar_t *path, wchar_t *line, LPPROC_THREAD_ATTRIBUTE_LIST handles,
		   PROCESS_INFORMATION *made)
{
	STARTUPINFOEXW startup = { .StartupInfo = { .cb = sizeof(startup) },
				   .lpAttributeList = handles };
	DWORD flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT;
	wchar_t folder[MAX_PATH + 1] = L"";

	GetSystemDirectoryW(folder, MAX_PATH);
	return CreateProcessW(path, line, NULL, NULL, TRUE, flags | CREATE_BREAKAWAY_FROM_JOB, NULL,
			      folder, &startup.StartupInfo, made) ||
	       CreateProcessW(path, line, NULL, NULL, TRUE, flags, NULL, folder,
			      &startup.StartupInfo, made);
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

static void order(struct guard *guard, const char *what, const char *value)
{
	struct strbuf line = STRBUF_INIT;
	DWORD written;

	strbuf_addf(&line, "%s%s\n", what, value);
	/* A guard that was killed can be told nothing: the recording goes on. */
	(void)!WriteFile(guard->orders, line.buf, (DWORD)line.len, &written, NULL);
	strbuf_release(&line);
}

int guard_start(const char *cookie, struct guard **guard, struct err *err)
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
	order(*guard, "cookie ", cookie);
	return 0;
}

void guard_set_recorder(struct guard *guard, int64_t pid)
{
	char number[24];

	snprintf(number, sizeof(number), "%lld", (long long)pid);
	order(guard, "recorder ", number);
}

void guard_add_undo(struct guard *guard, const char *setting, const char *value)
{
	char *both = xasprintf("%s\t%s", setting, value);

	order(guard, "undo ", both);
	free(both);
}

static void leave(struct guard *guard)
{
	CloseHandle(guard->orders);
	CloseHandle(guard->process);
	free(guard);
}

void guard_leave_undo(struct guard *guard)
{
	if (!guard)
		return;
	order(guard, "later", "");
	leave(guard);
}

void guard_dismiss(struct guard *guard)
{
	if (!guard)
		return;
	order(guard, "bye", "");
	WaitForSingleObject(guard->process, DISMISS_MS);
	leave(guard);
}
