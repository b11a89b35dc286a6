/*
 * Other processes: list them, read their usage and what they were started with, end them.
 *
 * What a process was started with is read from its memory: the process environment block (PEB) and the
 * RTL_USER_PROCESS_PARAMETERS that it points to. The creator of a process writes them before its first thread runs. A
 * 32-bit process has them in 64-bit form too; its 32-bit copy is made from that later.
 *
 * winternl.h documents only the first fields. Debuggers use the others too: their offsets have not changed since
 * Windows Vista, that of the process group since Windows 8.
 */
#ifndef PLATFORM_WINDOWS_PROCESS_H
#define PLATFORM_WINDOWS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "platform/proc_event.h"

/* CPU time and memory that a process has used. They can be read from its handle after its end too. */
struct process_usage {
	int64_t created, exited; /* FILETIME; exited is 0 while it runs */
	int64_t cpu_ns;          /* -1: unknown, as are the next two */
	int64_t peak_resident_bytes;
	int64_t peak_commit_bytes;
};

/* `process` is a HANDLE with PROCESS_QUERY_LIMITED_INFORMATION at least. */
void process_usage_read(void *process, struct process_usage *usage);

/*
 * True on Wine, which differs from Windows: for the CPU time of any process it returns that of the caller, and it has
 * no peaks of ended processes. There both are taken from the list of processes, while the process runs.
 */
bool process_usage_needs_list(void);

/*
 * Whether the process has ended. `process` is a HANDLE that also has SYNCHRONIZE. (On Wine a process without a first
 * thread yet is signalled like an ended one.)
 */
bool process_is_over(void *process);

struct system_process {
	int64_t pid;
	int64_t ppid; /* its creator, which may have ended; then another process may have the pid */
	int64_t created; /* FILETIME: 100 ns since 1601 UTC */
	int64_t cpu_ns;  /* user and kernel */
	int64_t resident_bytes, peak_resident_bytes;
	int64_t peak_commit_bytes;
	const wchar_t *name; /* the image's file name; not terminated */
	size_t name_len;
};

/*
 * All processes of the system at one moment, read by one call (NtQuerySystemInformation, SystemProcessInformation). A
 * process without a name is left out: it has not started yet, and might be a console. The buffers are reused.
 */
struct system_processes {
	struct system_process *v;
	size_t nr, alloc;
	void *buffer;
	size_t buffer_size;
};

/* Read the list. False: the call failed, and the list is empty. */
bool system_processes_read(struct system_processes *processes);

void system_processes_release(struct system_processes *processes);

/*
 * Whether it is conhost.exe. The system starts one for each console, as a child of the console's first program; it
 * ends with the programs of the console.
 */
bool system_process_is_console(const struct system_process *process);

/*
 * Send Ctrl-Break to the whole process group that `pid` leads, through the console of `pid` if we have none. Windows
 * has no way to ask a single process to end.
 */
void process_group_interrupt(int64_t pid);

/* End the process at once, with the exit code of an interrupted process. */
void process_kill(int64_t pid);

struct process_params {
	char *image; /* NULL: unknown, as are the next two */
	wchar_t *command_line;
	char *cwd;
	wchar_t *env; /* NAME=value and a NUL each; NULL: unknown */
	size_t env_len;
	int64_t group; /* the process group it belongs to; 0: unknown */
};

enum process_params_state {
	PARAMS_READ,
	PARAMS_NOT_YET, /* it is only just created (Wine fills them in later), or its memory may not be read */
	PARAMS_GONE, /* it has ended */
};

/* `process` is a HANDLE with PROCESS_QUERY_INFORMATION and PROCESS_VM_READ. `params` is overwritten. */
enum process_params_state process_params_read(void *process, struct process_params *params);

void process_params_release(struct process_params *params);

/* The command line as the system reports it (Windows 8.1 and later); NULL: none. The caller frees it. */
wchar_t *process_command_line(void *process);

/* The path of its executable as the system reports it; NULL if the process has none any more. The caller frees it. */
char *process_image_path(void *process);

/* Whether `pair` (NAME=value) is in the environment. */
bool process_params_has_env(const struct process_params *params, const wchar_t *pair);

/*
 * Read the response files that the arguments of the event name into event->responses. UTF-16 text (rustc writes it
 * for link.exe) becomes UTF-8. Other programs may delete the files meanwhile.
 */
void response_files_read(struct proc_event *event);

#endif
