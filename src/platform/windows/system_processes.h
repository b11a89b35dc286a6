/*
 * All processes of the system at one moment, by one call (NtQuerySystemInformation, SystemProcessInformation). One
 * without a name is left out: it has not started yet, and whether it is a console can't be told.
 */
#ifndef PLATFORM_WINDOWS_SYSTEM_PROCESSES_H
#define PLATFORM_WINDOWS_SYSTEM_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct system_process {
	int64_t pid;
	int64_t ppid; /* of whoever started it; may have ended, and its number belong to another by now */
	int64_t created; /* FILETIME: 100 ns since 1601 UTC */
	int64_t cpu_ns;  /* user and kernel */
	int64_t resident_bytes, peak_resident_bytes;
	int64_t peak_commit_bytes;
	const wchar_t *name; /* the image's file name; not terminated */
	size_t name_len;
};

/* Buffers are kept from one reading to the next. */
struct system_processes {
	struct system_process *v;
	size_t nr, alloc;
	void *buffer;
	size_t buffer_size;
};

#define SYSTEM_PROCESSES_INIT \
	{ \
		NULL, 0, 0, NULL, 0 \
	}

/* False where the system does not say; then there are none. */
bool system_processes_read(struct system_processes *processes);

void system_processes_release(struct system_processes *processes);

/* conhost.exe: the system's, one for each console, started as if its first program had. It ends with its programs. */
bool system_process_is_console(const struct system_process *process);

#endif
