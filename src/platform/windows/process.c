#define PSAPI_VERSION 2

#include "platform/windows/process.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#include <psapi.h>

#include "platform/process_id.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/array.h"

#define FIRST_SIZE      ((size_t)1 << 20)
#define MAX_SIZE        ((size_t)256 << 20)
#define LENGTH_MISMATCH ((NTSTATUS)0xC0000004)
#define INTERRUPTED     0xc000013a /* STATUS_CONTROL_C_EXIT */

bool process_usage_needs_list(void)
{
	return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

static int64_t as_number(FILETIME time)
{
	return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

void process_usage_read(void *process, struct process_usage *usage)
{
	bool lies = process_usage_needs_list();
	FILETIME created, exited, kernel, user;
	PROCESS_MEMORY_COUNTERS counters;

	*usage = (struct process_usage){ 0, 0, -1, -1, -1 };
	if (GetProcessTimes(process, &created, &exited, &kernel, &user)) {
		usage->created = as_number(created);
		usage->exited = as_number(exited);
		if (!lies)
			usage->cpu_ns = (as_number(kernel) + as_number(user)) * 100;
	}
	if (GetProcessMemoryInfo(process, &counters, sizeof(counters)) &&
	    counters.PeakWorkingSetSize) {
		usage->peak_resident_bytes = (int64_t)counters.PeakWorkingSetSize;
		usage->peak_commit_bytes = (int64_t)counters.PeakPagefileUsage;
	}
}

bool process_is_over(void *process)
{
	FILETIME created, exited, kernel, user;

	if (WaitForSingleObject(process, 0) != WAIT_OBJECT_0)
		return false;
	return !GetProcessTimes(process, &created, &exited, &kernel, &user) || as_number(exited);
}

void system_processes_release(struct system_processes *processes)
{
	free(processes->v);
	free(processes->buffer);
	*processes = (struct system_processes){ .v = NULL };
}

static void add(struct system_processes *processes, const SYSTEM_PROCESS_INFORMATION *info)
{
	/* The idle process, and on Wine one that is only being created. */
	if (!info->ImageName.Length)
		return;
	ARRAY_GROW(processes->v, processes->nr + 1, processes->alloc);
	processes->v[processes->nr++] = (struct system_process){
		.pid = (int64_t)(intptr_t)info->UniqueProcessId,
		.ppid = (int64_t)(intptr_t)info->InheritedFromUniqueProcessId,
		.created = info->CreateTime.QuadPart,
		.cpu_ns = (info->UserTime.QuadPart + info->KernelTime.QuadPart) * 100,
		.resident_bytes = (int64_t)info->VirtualMemoryCounters.WorkingSetSize,
		.peak_resident_bytes = (int64_t)info->VirtualMemoryCounters.PeakWorkingSetSize,
		.peak_commit_bytes = (int64_t)info->VirtualMemoryCounters.PeakPagefileUsage,
		.name = info->ImageName.Buffer,
		.name_len = info->ImageName.Length / sizeof(wchar_t),
	};
}

static bool fill(struct system_processes *processes)
{
	ULONG needed = 0;
	NTSTATUS status;

	if (!processes->buffer) {
		processes->buffer_size = FIRST_SIZE;
		processes->buffer = xmalloc(FIRST_SIZE);
	}
	while ((status = NtQuerySystemInformation(SystemProcessInformation, processes->buffer,
						  (ULONG)processes->buffer_size, &needed)) ==
		       LENGTH_MISMATCH &&
	       processes->buffer_size < MAX_SIZE) {
		processes->buffer_size *= 2;
		free(processes->buffer);
		processes->buffer = xmalloc(processes->buffer_size);
	}
	return status >= 0;
}

bool system_processes_read(struct system_processes *processes)
{
	const char *at;

	processes->nr = 0;
	if (!fill(processes))
		return false;
	for (at = processes->buffer;;) {
		const SYSTEM_PROCESS_INFORMATION *info = (const void *)at;

		add(processes, info);
		if (!info->NextEntryOffset)
			return true;
		at += info->NextEntryOffset;
	}
}

bool system_process_is_console(const struct system_process *process)
{
	static const wchar_t name[] = L"conhost.exe";

	return process->name_len == wcslen(name) &&
	       !_wcsnicmp(process->name, name, process->name_len);
}

void process_group_interrupt(int64_t pid)
{
	if (GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)pid) || !AttachConsole((DWORD)pid))
		return;
	GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD)pid);
	FreeConsole();
}

void process_kill(int64_t pid)
{
	HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, (DWORD)pid);

	if (!process)
		return;
	TerminateProcess(process, INTERRUPTED);
	CloseHandle(process);
}

char *process_program(int64_t pid)
{
	struct system_processes list = { NULL, 0, 0, NULL, 0 };
	char *program = NULL;

	system_processes_read(&list);
	for (size_t i = 0; i < list.nr && !program; i++) {
		if (list.v[i].pid == pid)
			program = wide_to_utf8_len(list.v[i].name, list.v[i].name_len);
	}
	system_processes_release(&list);
	return program;
}

char *process_id(int64_t pid)
{
	HANDLE process = pid > 0 ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE,
					       FALSE, (DWORD)pid)
				 : NULL;
	struct process_usage usage;
	char *id = NULL;

	if (!process)
		return NULL;
	if (!process_is_over(process)) {
		process_usage_read(process, &usage);
		id = xasprintf("%lld@%lld", (long long)pid, (long long)usage.created);
	}
	CloseHandle(process);
	return id;
}

/* Offsets in 64-bit memory. */
#define PEB_PARAMETERS      0x20
#define PARAMS_LENGTH       0x04
#define PARAMS_FLAGS        0x08
#define PARAMS_CWD          0x38
#define PARAMS_IMAGE        0x60
#define PARAMS_COMMAND_LINE 0x70
#define PARAMS_ENV          0x80
#define PARAMS_ENV_SIZE     0x3f0
#define PARAMS_GROUP        0x408
#define PARAMS_SIZE         0x410
#define PARAMS_OLD_SIZE     0x3f8 /* up to the size of the environment */

#define FLAG_NORMALIZED 1 /* else pointers are offsets from the start */

#define CLASS_COMMAND_LINE ((PROCESSINFOCLASS)60)

#define ENV_MAX_BYTES ((size_t)8 << 20)
#define BLOCK_MAX     ((size_t)1 << 20)

_Static_assert(sizeof(void *) == 8, "written for 64 bits");

/* The parameters. Mostly the strings that they point to follow in the same block. */
struct memory {
	HANDLE process;
	uint64_t base;
	unsigned char *params; /* `size` bytes from base on, PARAMS_SIZE at least */
	size_t size;
};

static bool read_at(HANDLE process, uint64_t address, void *to, size_t size)
{
	SIZE_T got = 0;

	return address &&
	       ReadProcessMemory(process, (const void *)(uintptr_t)address, to, size, &got) &&
	       got == size;
}

static uint64_t get_u64(const struct memory *memory, size_t offset)
{
	uint64_t value;

	memcpy(&value, memory->params + offset, sizeof(value));
	return value;
}

static uint32_t get_u32(const struct memory *memory, size_t offset)
{
	uint32_t value;

	memcpy(&value, memory->params + offset, sizeof(value));
	return value;
}

static uint64_t get_pointer(const struct memory *memory, size_t offset)
{
	uint64_t value = get_u64(memory, offset);

	return value && !(get_u32(memory, PARAMS_FLAGS) & FLAG_NORMALIZED) ? memory->base + value
									   : value;
}

static bool read_block(const struct memory *memory, uint64_t address, void *to, size_t size)
{
	if (address < memory->base || address - memory->base > memory->size ||
	    memory->size - (address - memory->base) < size)
		return read_at(memory->process, address, to, size);
	memcpy(to, memory->params + (address - memory->base), size);
	return true;
}

/* Read a UNICODE_STRING: 16 bits for its length in bytes, and at offset 8 its address. */
static wchar_t *get_wide(const struct memory *memory, size_t offset)
{
	size_t bytes = get_u32(memory, offset) & 0xfffe;
	wchar_t *text = xcalloc(bytes / sizeof(wchar_t) + 1, sizeof(wchar_t));

	if (bytes && read_block(memory, get_pointer(memory, offset + 8), text, bytes))
		return text;
	free(text);
	return NULL;
}

static char *get_string(const struct memory *memory, size_t offset)
{
	wchar_t *wide = get_wide(memory, offset);
	char *text = wide ? wide_to_utf8(wide) : NULL;

	free(wide);
	return text;
}

static void get_env(const struct memory *memory, struct process_params *params)
{
	uint64_t size = get_u64(memory, PARAMS_ENV_SIZE), at = get_u64(memory, PARAMS_ENV);

	if (!at || !size || size > ENV_MAX_BYTES)
		return;
	params->env = xcalloc((size_t)size / sizeof(wchar_t) + 1, sizeof(wchar_t));
	params->env_len = (size_t)size / sizeof(wchar_t);
	if (read_block(memory, at, params->env, params->env_len * sizeof(wchar_t)))
		return;
	free(params->env);
	params->env = NULL;
	params->env_len = 0;
}

/* A working directory ends with a separator, which is removed, except from "C:\". */
static void trim_separator(char *path)
{
	size_t len = path ? strlen(path) : 0;

	if (len > 3 && path[len - 1] == '\\')
		path[len - 1] = '\0';
}

static uint64_t peb_address(HANDLE process)
{
	PROCESS_BASIC_INFORMATION basic;

	if (NtQueryInformationProcess(process, ProcessBasicInformation, &basic, sizeof(basic),
				      NULL) < 0)
		return 0;
	return (uint64_t)(uintptr_t)basic.PebBaseAddress;
}

static bool read_params(struct memory *memory)
{
	uint64_t peb = peb_address(memory->process);
	size_t size;

	if (!peb || !read_at(memory->process, peb + PEB_PARAMETERS, &memory->base, 8))
		return false;
	memory->params = xcalloc(PARAMS_SIZE, 1);
	/* Older systems have fewer fields, and the memory after them may not be readable. */
	if (!read_at(memory->process, memory->base, memory->params, PARAMS_SIZE) &&
	    !read_at(memory->process, memory->base, memory->params, PARAMS_OLD_SIZE))
		return false;
	size = get_u32(memory, PARAMS_LENGTH);
	if (size <= PARAMS_SIZE || size > BLOCK_MAX)
		return true;
	memory->params = xreallocarray(memory->params, size, 1);
	if (read_at(memory->process, memory->base, memory->params, size))
		memory->size = size;
	return true;
}

static void take_params(const struct memory *memory, struct process_params *params)
{
	params->command_line = get_wide(memory, PARAMS_COMMAND_LINE);
	if (!params->command_line)
		return;
	params->image = get_string(memory, PARAMS_IMAGE);
	params->cwd = get_string(memory, PARAMS_CWD);
	trim_separator(params->cwd);
	get_env(memory, params);
	if (get_u32(memory, PARAMS_LENGTH) >= PARAMS_GROUP + 4)
		params->group = get_u32(memory, PARAMS_GROUP);
}

enum process_params_state process_params_read(void *process, struct process_params *params)
{
	struct memory memory = { .process = process };

	*params = (struct process_params){ .image = NULL };
	if (read_params(&memory))
		take_params(&memory, params);
	free(memory.params);
	if (params->command_line)
		return PARAMS_READ;
	return process_is_over(process) ? PARAMS_GONE : PARAMS_NOT_YET;
}

void process_params_release(struct process_params *params)
{
	free(params->image);
	free(params->command_line);
	free(params->cwd);
	free(params->env);
	*params = (struct process_params){ .image = NULL };
}

wchar_t *process_command_line(void *process)
{
	size_t size = sizeof(UNICODE_STRING) + 0x10000, len;
	UNICODE_STRING *string = xmalloc(size);
	wchar_t *line = NULL;

	if (NtQueryInformationProcess(process, CLASS_COMMAND_LINE, string, (ULONG)size, NULL) >=
		    0 &&
	    string->Length) {
		len = string->Length / sizeof(wchar_t);
		line = xcalloc(len + 1, sizeof(*line));
		wmemcpy(line, string->Buffer, len);
	}
	free(string);
	return line;
}

char *process_image_path(void *process)
{
	wchar_t *path = xcalloc(0x8000, sizeof(*path));
	DWORD len = 0x8000;
	char *result = NULL;

	if (QueryFullProcessImageNameW(process, 0, path, &len) && len)
		result = wide_to_utf8_len(path, len);
	free(path);
	return result;
}

bool process_params_has_env(const struct process_params *params, const wchar_t *pair)
{
	size_t len = wcslen(pair);

	for (size_t at = 0; at < params->env_len;) {
		size_t size = wcsnlen(params->env + at, params->env_len - at);

		if (size == len && !wmemcmp(params->env + at, pair, len))
			return true;
		at += size + 1;
	}
	return false;
}

static bool is_separator(char c)
{
	return c == '\\' || c == '/';
}

/* The path relative to the working directory of the process. The caller frees it. */
static char *from_directory(const char *cwd, const char *path)
{
	if (path[0] && path[1] == ':')
		return xstrdup(path);
	if (is_separator(path[0]))
		return is_separator(path[1]) || !cwd || cwd[0] == '\0' || cwd[1] != ':'
			       ? xstrdup(path)
			       : xasprintf("%.2s%s", cwd, path);
	return cwd ? xasprintf("%s\\%s", cwd, path) : NULL;
}

/* Our handle must not prevent others from deleting or renaming the file. */
static HANDLE open_shared(const wchar_t *path)
{
	HANDLE file = CreateFileW(path, GENERIC_READ,
				  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
				  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);

	if (file != INVALID_HANDLE_VALUE && GetFileType(file) != FILE_TYPE_DISK) {
		CloseHandle(file);
		return INVALID_HANDLE_VALUE;
	}
	return file;
}

static char *decode(char *bytes, size_t len)
{
	if (len >= 2 && !memcmp(bytes, "\xff\xfe", 2)) {
		/* The address is even, two bytes after the start of the buffer. */
		wchar_t *text = (wchar_t *)(void *)(bytes + 2);
		size_t chars = (len - 2) / sizeof(wchar_t);

		for (size_t i = 0; i < chars; i++) {
			if (!text[i])
				text[i] = L'\n';
		}
		return wide_to_utf8_len(text, chars);
	}
	for (size_t i = 0; i < len; i++) {
		if (!bytes[i])
			bytes[i] = '\n';
	}
	if (len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		return xstrndup(bytes + 3, len - 3);
	return xstrndup(bytes, len);
}

/* Read a text file as UTF-8; NULL: it cannot be read. The caller frees it. */
static char *read_text(const wchar_t *path)
{
	HANDLE file = open_shared(path);
	char *bytes, *text = NULL;
	DWORD got = 0;

	if (file == INVALID_HANDLE_VALUE)
		return NULL;
	bytes = xmalloc(PROC_RESPONSE_BYTES_MAX);
	if (ReadFile(file, bytes, (DWORD)PROC_RESPONSE_BYTES_MAX, &got, NULL))
		text = decode(bytes, got);
	free(bytes);
	CloseHandle(file);
	return text;
}

static char *read_response(const char *cwd, const char *path)
{
	char *found = from_directory(cwd, path), *text = NULL;
	wchar_t *wide = found ? wide_path(found) : NULL;

	if (wide)
		text = read_text(wide);
	free(wide);
	free(found);
	return text;
}

void response_files_read(struct proc_event *event)
{
	const char *path;
	size_t at = 1;

	while ((path = proc_event_next_response(event, &at))) {
		char *text = read_response(event->cwd, path);

		if (!text)
			continue;
		strvec_push(&event->responses, path);
		strvec_push_nodup(&event->responses, text);
	}
}
