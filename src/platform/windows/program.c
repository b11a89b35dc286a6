#include "platform/program.h"

#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/fs.h"
#include "platform/terminal.h"
#include "platform/windows/command_line.h"
#include "platform/windows/library.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/array.h"

/* The settings of the console before we changed them: it outlives us. */
static struct {
	UINT code_page;
	HANDLE screen[2];
	DWORD mode[2];
} before;

static void restore_console(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(before.screen); i++) {
		if (before.screen[i])
			SetConsoleMode(before.screen[i], before.mode[i]);
	}
	if (before.code_page)
		SetConsoleOutputCP(before.code_page);
}

/* Set the console to UTF-8 and to escape sequences, which rewrite a line. */
static void set_console(void)
{
	static const DWORD ids[] = { STD_OUTPUT_HANDLE, STD_ERROR_HANDLE };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		HANDLE screen = GetStdHandle(ids[i]);
		DWORD mode;

		if (!GetConsoleMode(screen, &mode))
			continue;
		any = true;
		if (SetConsoleMode(screen, mode | ENABLE_PROCESSED_OUTPUT |
						   ENABLE_VIRTUAL_TERMINAL_PROCESSING)) {
			before.screen[i] = screen;
			before.mode[i] = mode;
		}
	}
	if (!any)
		return;
	before.code_page = GetConsoleOutputCP();
	SetConsoleOutputCP(CP_UTF8);
	atexit(restore_console);
}

void program_start(int *argc, char ***argv)
{
	struct strvec args = STRVEC_INIT;
	wchar_t **wide, **variables;
	int startup = 0, count = 0;

	terminal_ensure_streams();
	_setmode(0, _O_BINARY);
	_setmode(1, _O_BINARY);
	_setmode(2, _O_BINARY);
	/* Otherwise the console is written to byte by byte, so that characters of several bytes are split. */
	setvbuf(stdout, NULL, _IOFBF, 65536);
	setvbuf(stderr, NULL, _IONBF, 0);
	set_console();
	__wgetmainargs(&count, &wide, &variables, 0, &startup);
	for (int i = 0; i < count; i++)
		strvec_push_nodup(&args, wide_to_utf8(wide[i]));
	*argc = (int)args.nr;
	*argv = args.v;
}

char *env_get(const char *name)
{
	char *value = wide_getenv(name);

	if (value && *value)
		return value;
	free(value);
	return NULL;
}

/* More than any path has. */
#define PATH_UNITS 32768

char *executable_path(void)
{
	wchar_t *path = xcalloc(PATH_UNITS, sizeof(*path));
	DWORD len = GetModuleFileNameW(NULL, path, PATH_UNITS);
	char *utf8 = len && len < PATH_UNITS ? wide_to_utf8(path) : NULL;

	free(path);
	return utf8;
}

static volatile LONG count;

/* Of version.dll, which no other command needs. */
static char *read_version(const wchar_t *path)
{
	__typeof__(&GetFileVersionInfoSizeW) get_size;
	__typeof__(&GetFileVersionInfoW) get;
	__typeof__(&VerQueryValueW) query;
	VS_FIXEDFILEINFO *fixed;
	char *version = NULL;
	void *info;
	UINT len;
	DWORD nr;

	if (!library_function(L"version.dll", "GetFileVersionInfoSizeW", &get_size,
			      sizeof(get_size)) ||
	    !library_function(L"version.dll", "GetFileVersionInfoW", &get, sizeof(get)) ||
	    !library_function(L"version.dll", "VerQueryValueW", &query, sizeof(query)))
		return NULL;
	nr = get_size(path, NULL);
	info = nr ? xmalloc(nr) : NULL;
	if (info && get(path, 0, nr, info) && query(info, L"\\", (void **)&fixed, &len) &&
	    len >= sizeof(*fixed) && fixed->dwSignature == VS_FFI_SIGNATURE)
		version = xasprintf("%lu.%lu.%lu.%lu", fixed->dwFileVersionMS >> 16,
				    fixed->dwFileVersionMS & 0xffff, fixed->dwFileVersionLS >> 16,
				    fixed->dwFileVersionLS & 0xffff);
	free(info);
	return version;
}

char *program_version(const char *path)
{
	wchar_t *wide = wide_from_utf8(path);
	char *version = read_version(wide);

	free(wide);
	return version;
}

char *program_find_own(const char *name, struct err *err)
{
	char *path = fs_find_program(name);

	if (!path)
		err_set(err, ERR_NOT_FOUND, "%s is not installed", name);
	return path;
}

/* The system calls this in a separate thread. */
static BOOL WINAPI handle(DWORD event)
{
	InterlockedIncrement(&count);
	if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
		return TRUE;
	/* The window closes or the user logs off: the process ends when this returns, or after 5 s. Use the 5 s. */
	Sleep(INFINITE);
	return TRUE;
}

void interrupt_catch(void)
{
	/* Remove it first: a handler that was added twice would be called twice. */
	SetConsoleCtrlHandler(handle, FALSE);
	SetConsoleCtrlHandler(handle, TRUE);
}

int interrupt_count(void)
{
	return (int)InterlockedCompareExchange(&count, 0, 0);
}

void memory_trim(void)
{
	_heapmin();
}

/* There is none: ntdll.dll, the nearest equivalent, is a file. */
const void *vdso_image(size_t *size)
{
	(void)size;
	return NULL;
}
