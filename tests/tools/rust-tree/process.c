#include "tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define SEEN_MS 1000

#define JOURNAL_MAX (1 << 20)

static void add_char(struct command *command, wchar_t c)
{
	if (command->len < LINE_MAX)
		command->line[command->len++] = c;
	command->line[command->len] = L'\0';
}

static void add_chars(struct command *command, wchar_t c, size_t count)
{
	while (count--)
		add_char(command, c);
}

static void add_quoted(struct command *command, const wchar_t *arg)
{
	size_t slashes = 0;

	add_char(command, L'"');
	for (; *arg; arg++) {
		if (*arg == L'"')
			add_chars(command, L'\\', slashes + 1);
		slashes = *arg == L'\\' ? slashes + 1 : 0;
		add_char(command, *arg);
	}
	add_chars(command, L'\\', slashes);
	add_char(command, L'"');
}

static void add(struct command *command, const wchar_t *arg)
{
	if (command->len)
		add_char(command, L' ');
	if (*arg && !wcspbrk(arg, L" \t\""))
		for (; *arg; arg++)
			add_char(command, *arg);
	else
		add_quoted(command, arg);
}

void command_begin(struct command *command, const wchar_t *exe)
{
	command->len = 0;
	swprintf(command->exe, ARRAYSIZE(command->exe), L"%ls", exe);
	add(command, exe);
}

void command_add(struct command *command, const wchar_t *format, ...)
{
	wchar_t arg[4096];
	va_list args;

	va_start(args, format);
	vswprintf(arg, ARRAYSIZE(arg), format, args);
	va_end(args);
	add(command, arg);
}

void command_add_all(struct command *command, int argc, wchar_t **argv)
{
	for (int i = 0; i < argc; i++)
		add(command, argv[i]);
}

static bool start(const struct command *command, const wchar_t *dir, DWORD flags,
		  PROCESS_INFORMATION *made)
{
	STARTUPINFOW startup = { .cb = sizeof(startup) };
	wchar_t *line = _wcsdup(command->line);
	bool started = CreateProcessW(command->exe, line, NULL, NULL, !flags, flags, NULL, dir,
				      &startup, made);

	free(line);
	if (!started)
		say(L"cannot run '%ls': error %lu", command->exe, GetLastError());
	return started;
}

DWORD command_run(const struct command *command, const wchar_t *dir)
{
	PROCESS_INFORMATION made;
	DWORD code = 101;

	if (!start(command, dir, 0, &made))
		return code;
	WaitForSingleObject(made.hProcess, INFINITE);
	GetExitCodeProcess(made.hProcess, &code);
	CloseHandle(made.hThread);
	CloseHandle(made.hProcess);
	return code;
}

void command_leave(const struct command *command)
{
	PROCESS_INFORMATION made;

	if (!start(command, NULL, CREATE_BREAKAWAY_FROM_JOB | DETACHED_PROCESS, &made))
		return;
	CloseHandle(made.hThread);
	CloseHandle(made.hProcess);
}

static const wchar_t *format_text(const wchar_t *before, const wchar_t *format, va_list args)
{
	static wchar_t buffers[16][2048];
	static unsigned next;
	wchar_t *buffer = buffers[next++ % ARRAYSIZE(buffers)];
	int len = swprintf(buffer, ARRAYSIZE(buffers[0]), L"%ls", before);

	vswprintf(buffer + len, ARRAYSIZE(buffers[0]) - (size_t)len, format, args);
	return buffer;
}

const wchar_t *text(const wchar_t *format, ...)
{
	const wchar_t *made;
	va_list args;

	va_start(args, format);
	made = format_text(L"", format, args);
	va_end(args);
	return made;
}

const wchar_t *source(const wchar_t *format, ...)
{
	const wchar_t *made;
	va_list args;

	va_start(args, format);
	made = format_text(text(L"%ls\\", env(L"TREE_SOURCE")), format, args);
	va_end(args);
	return made;
}

const wchar_t *build(const wchar_t *format, ...)
{
	const wchar_t *made;
	va_list args;

	va_start(args, format);
	made = format_text(source(L"build\\"), format, args);
	va_end(args);
	return made;
}

void set_env(const wchar_t *name, const wchar_t *value)
{
	SetEnvironmentVariableW(name, value);
	_wputenv(text(L"%ls=%ls", name, value));
}

const wchar_t *env(const wchar_t *name)
{
	const wchar_t *value = _wgetenv(name);

	return value ? value : L"";
}

const wchar_t *value_of(int argc, wchar_t **argv, const wchar_t *name)
{
	for (int i = 1; i + 1 < argc; i++) {
		if (!wcscmp(argv[i], name))
			return argv[i + 1];
	}
	return NULL;
}

void say(const wchar_t *format, ...)
{
	wchar_t line[4096];
	char bytes[3 * ARRAYSIZE(line)];
	va_list args;

	va_start(args, format);
	vswprintf(line, ARRAYSIZE(line), format, args);
	va_end(args);
	WideCharToMultiByte(CP_UTF8, 0, line, -1, bytes, sizeof(bytes), NULL, NULL);
	fprintf(stderr, "%s\n", bytes);
}

void make_dirs(const wchar_t *path)
{
	wchar_t *part = _wcsdup(path);

	for (wchar_t *s = part + 3; *s; s++) {
		if (*s != L'\\')
			continue;
		*s = L'\0';
		CreateDirectoryW(part, NULL);
		*s = L'\\';
	}
	free(part);
}

void copy_self(const wchar_t *path)
{
	wchar_t self[1024];

	GetModuleFileNameW(NULL, self, ARRAYSIZE(self));
	make_dirs(path);
	if (!CopyFileW(self, path, FALSE))
		say(L"cannot write '%ls': error %lu", path, GetLastError());
}

static void put(FILE *file, enum encoding encoding, const wchar_t *s, size_t len)
{
	char bytes[3 * 4096];
	int count;

	if (encoding == UTF16) {
		fwrite(s, sizeof(*s), len, file);
		return;
	}
	count = WideCharToMultiByte(CP_UTF8, 0, s, (int)len, bytes, sizeof(bytes), NULL, NULL);
	fwrite(bytes, 1, (size_t)count, file);
}

void write_response(const wchar_t *path, enum encoding encoding, bool quoted, int argc,
		    const wchar_t *const *argv)
{
	FILE *file;

	make_dirs(path);
	file = _wfopen(path, L"wb");
	if (!file)
		return;
	if (encoding == UTF16)
		put(file, encoding, L"\xfeff", 1);
	for (int i = 0; i < argc; i++) {
		if (quoted)
			put(file, encoding, L"\"", 1);
		put(file, encoding, argv[i], wcslen(argv[i]));
		put(file, encoding, quoted ? L"\"\n" : L"\n", quoted ? 2 : 1);
	}
	fclose(file);
}

static wchar_t *read_response(const wchar_t *path)
{
	static char bytes[1 << 16];
	FILE *file = _wfopen(path, L"rb");
	size_t len = file ? fread(bytes, 1, sizeof(bytes) - 2, file) : 0;
	wchar_t *made = calloc(sizeof(bytes), sizeof(*made));

	if (file)
		fclose(file);
	bytes[len] = bytes[len + 1] = '\0';
	if (!memcmp(bytes, "\xff\xfe", 2))
		wcscpy(made, (wchar_t *)(void *)(bytes + 2));
	else
		MultiByteToWideChar(CP_UTF8, 0, bytes, -1, made, (int)sizeof(bytes));
	return made;
}

static void add_lines(wchar_t *lines, int *argc, wchar_t **argv)
{
	while (*lines) {
		size_t len = wcscspn(lines, L"\n");
		wchar_t *line = lines;

		lines += len + (lines[len] != L'\0');
		if (len > 1 && *line == L'"') {
			line++;
			len -= 2;
		}
		line[len] = L'\0';
		argv[(*argc)++] = line;
	}
}

void expand(int *argc, wchar_t ***argv)
{
	wchar_t **all = calloc(4096, sizeof(*all));
	int count = 0;

	for (int i = 0; i < *argc; i++) {
		if ((*argv)[i][0] == L'@')
			add_lines(read_response((*argv)[i] + 1), &count, all);
		else
			all[count++] = (*argv)[i];
	}
	*argc = count;
	*argv = all;
}

static int64_t cpu_used(void)
{
	FILETIME created, exited, kernel, user;

	GetProcessTimes(GetCurrentProcess(), &created, &exited, &kernel, &user);
	return (int64_t)(((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime) +
			 ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime));
}

void work(int megabytes, int cpu_ms, int stay_ms)
{
	size_t size = (size_t)megabytes << 20;
	char *memory = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
	ULONGLONG until = GetTickCount64() + (ULONGLONG)stay_ms;

	if (!memory) {
		say(L"no memory");
		ExitProcess(3);
	}
	memset(memory, 1, size);
	while (cpu_used() < cpu_ms * 10000)
		;
	/*
	 * Wine shows what one has used only while it is there, and it is looked at every 50 ms, on a busy machine less
	 * often.
	 */
	if (until < GetTickCount64() + SEEN_MS)
		until = GetTickCount64() + SEEN_MS;
	while (GetTickCount64() < until)
		Sleep(10);
	VirtualFree(memory, 0, MEM_RELEASE);
}

void stay_until(DWORD ms)
{
	ULONGLONG end = GetTickCount64() + ms;

	while (GetTickCount64() < end &&
	       GetFileAttributesW(env(L"TREE_UNTIL")) == INVALID_FILE_ATTRIBUTES)
		Sleep(20);
}

/* Is there a line of our start with its arguments in the journal? Without a journal nobody asks: true. */
static bool is_in_journal(const wchar_t *path)
{
	static char events[JOURNAL_MAX];
	FILE *file = _wfopen(path, L"rb");
	char mark[32];
	size_t len;

	if (!file)
		return true;
	len = fread(events, 1, sizeof(events) - 1, file);
	fclose(file);
	events[len] = '\0';
	snprintf(mark, sizeof(mark), "\"pid\":%lu,", GetCurrentProcessId());
	for (char *line = strtok(events, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, mark) && strstr(line, "\"argv\":[\""))
			return true;
	}
	return len == 0;
}

void stay_to_be_seen(void)
{
	WIN32_FIND_DATAW run;
	HANDLE runs = FindFirstFileW(source(L"..\\runs\\*.partial"), &run);

	if (runs == INVALID_HANDLE_VALUE)
		return;
	FindClose(runs);
	for (int i = 0; i < 250; i++) {
		if (is_in_journal(source(L"..\\runs\\%ls\\processes.journal", run.cFileName)))
			return;
		Sleep(20);
	}
}
