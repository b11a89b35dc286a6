#ifdef _WIN32
#define _WIN32_WINNT 0x0A00
#include "tools/wpt/port.h"

#include <errno.h>
#include <share.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "platform/windows/command_line.h"
#include "util/alloc.h"
#include "util/text.h"

#define IMAGE_OPTIONS \
	L"Software\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\"

static wchar_t *widen(const char *s)
{
	int need = MultiByteToWideChar(CP_UTF8, 0, s, -1, NULL, 0);
	wchar_t *w = xcalloc((size_t)need + 1, sizeof(*w));

	MultiByteToWideChar(CP_UTF8, 0, s, -1, w, need);
	return w;
}

static char *narrow(const wchar_t *w)
{
	int need = WideCharToMultiByte(CP_UTF8, 0, w, -1, NULL, 0, NULL, NULL);
	char *s = xcalloc((size_t)need + 1, 1);

	WideCharToMultiByte(CP_UTF8, 0, w, -1, s, need, NULL, NULL);
	return s;
}

static int fail_with_last_error(void)
{
	switch (GetLastError()) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
		errno = ENOENT;
		break;
	case ERROR_DISK_FULL:
	case ERROR_HANDLE_DISK_FULL:
		errno = ENOSPC;
		break;
	default:
		errno = EACCES;
	}
	return -1;
}

void port_arguments(int argc, char **argv, struct strvec *args)
{
	wchar_t **wide, **variables;
	int startup = 0, count = 0;

	(void)argc;
	(void)argv;
	__wgetmainargs(&count, &wide, &variables, 0, &startup);
	for (int i = 1; i < count; i++)
		strvec_push_nodup(args, narrow(wide[i]));
}

char *port_env(const char *name)
{
	wchar_t *wide = widen(name);
	const wchar_t *value = _wgetenv(wide);

	free(wide);
	return value ? narrow(value) : NULL;
}

FILE *port_open(const char *path, const char *mode)
{
	wchar_t *wpath = widen(path), *wmode = widen(mode);
	FILE *f = _wfsopen(wpath, wmode, _SH_DENYNO);

	free(wmode);
	free(wpath);
	return f;
}

static DWORD attributes(const char *path)
{
	wchar_t *w = widen(path);
	DWORD found = GetFileAttributesW(w);

	free(w);
	return found;
}

bool port_is_dir(const char *path)
{
	DWORD found = attributes(path);

	return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY);
}

bool port_is_file(const char *path)
{
	DWORD found = attributes(path);

	return found != INVALID_FILE_ATTRIBUTES && !(found & FILE_ATTRIBUTE_DIRECTORY);
}

int port_make_dir(const char *path)
{
	wchar_t *w = widen(path);
	bool made = CreateDirectoryW(w, NULL) || GetLastError() == ERROR_ALREADY_EXISTS;

	free(w);
	return made ? 0 : fail_with_last_error();
}

int port_remove(const char *path)
{
	wchar_t *w = widen(path);
	bool removed = DeleteFileW(w);

	free(w);
	return removed ? 0 : fail_with_last_error();
}

int port_rename(const char *from, const char *to)
{
	wchar_t *wfrom = widen(from), *wto = widen(to);
	bool moved = MoveFileExW(wfrom, wto, MOVEFILE_REPLACE_EXISTING);

	free(wto);
	free(wfrom);
	return moved ? 0 : fail_with_last_error();
}

static wchar_t *full_path(const char *path)
{
	wchar_t *w = widen(path);
	DWORD need = GetFullPathNameW(w, 0, NULL, NULL);
	wchar_t *full = xcalloc((size_t)need + 1, sizeof(*full));

	GetFullPathNameW(w, need, full, NULL);
	free(w);
	return full;
}

char *port_absolute(const char *path)
{
	wchar_t *full = full_path(path);
	char *s = narrow(full);

	free(full);
	return s;
}

size_t port_path_length(const char *path)
{
	wchar_t *full = full_path(path);
	size_t len = wcslen(full);

	free(full);
	return len;
}

void *port_lock(const char *path)
{
	OVERLAPPED start = { 0 };
	wchar_t *w = widen(path);
	HANDLE h = CreateFileW(w, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
			       NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);

	free(w);
	if (h != INVALID_HANDLE_VALUE)
		LockFileEx(h, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &start);
	return h;
}

void port_unlock(void *lock)
{
	if (lock != INVALID_HANDLE_VALUE)
		CloseHandle(lock);
}

void port_sleep_ms(int64_t ms)
{
	Sleep((DWORD)ms);
}

int64_t port_ticks(void)
{
	LARGE_INTEGER now, frequency;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&now);
	return now.QuadPart / frequency.QuadPart * 10000000 +
	       now.QuadPart % frequency.QuadPart * 10000000 / frequency.QuadPart;
}

int64_t port_filetime(void)
{
	FILETIME t;

	GetSystemTimeAsFileTime(&t);
	return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

uint32_t port_pid(void)
{
	return GetCurrentProcessId();
}

bool port_process_name(uint32_t pid, struct strbuf *name)
{
	wchar_t path[32768];
	DWORD len = ARRAYSIZE(path), status = 0;
	HANDLE h = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
	char *s;

	if (!h)
		return false;
	if (GetExitCodeProcess(h, &status) && status != STILL_ACTIVE) {
		CloseHandle(h);
		return false;
	}
	if (QueryFullProcessImageNameW(h, 0, path, &len)) {
		s = narrow(path);
		strbuf_adds(name, text_file_name(s));
		free(s);
	}
	CloseHandle(h);
	return true;
}

const char *port_stream(int fd)
{
	static const DWORD ids[] = { STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE };
	HANDLE h = GetStdHandle(ids[fd]);
	DWORD mode;

	if (!h || h == INVALID_HANDLE_VALUE)
		return "closed";
	if (GetConsoleMode(h, &mode))
		return "terminal";
	switch (GetFileType(h)) {
	case FILE_TYPE_CHAR:
		return "null";
	case FILE_TYPE_PIPE:
		return "pipe";
	case FILE_TYPE_DISK:
		return "file";
	default:
		return "other";
	}
}

int port_tracing_flags(const char *image, int flags)
{
	wchar_t *w = widen(image), path[512];
	DWORD value = (DWORD)flags;
	LSTATUS status;

	swprintf(path, ARRAYSIZE(path), L"%ls%ls", IMAGE_OPTIONS, w);
	free(w);
	if (flags < 0) {
		status = RegDeleteKeyValueW(HKEY_LOCAL_MACHINE, path, L"TracingFlags");
		return status == ERROR_SUCCESS || status == ERROR_FILE_NOT_FOUND ? 0 : -1;
	}
	status = RegSetKeyValueW(HKEY_LOCAL_MACHINE, path, L"TracingFlags", REG_DWORD, &value,
				 sizeof(value));
	return status == ERROR_SUCCESS ? 0 : -1;
}

noreturn void port_exit(uint32_t code)
{
	fflush(stdout);
	fflush(stderr);
	ExitProcess(code);
	abort();
}

noreturn void port_crash(void)
{
	/* What an access violation that nobody handles ends with. */
	TerminateProcess(GetCurrentProcess(), 0xc0000005);
	abort();
}

#else
typedef int not_for_linux;
#endif
