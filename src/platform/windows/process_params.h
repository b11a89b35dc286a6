/*
 * What a process was started with, as it stands in its own memory: the process environment block (PEB) and the
 * RTL_USER_PROCESS_PARAMETERS that it leads to. Whoever creates a process puts them there before its first thread
 * runs. A 32-bit process has them in 64-bit form too: its own copy is made of those later.
 *
 * The first fields are in winternl.h; the others, which have had their places since Windows Vista, and the
 * process group since Windows 8, are in nobody's documents but in everybody's debuggers.
 */
#ifndef PLATFORM_WINDOWS_PROCESS_PARAMS_H
#define PLATFORM_WINDOWS_PROCESS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct process_params {
	char *image; /* NULL: not known, as are the next two */
	wchar_t *command_line;
	char *cwd;
	wchar_t *env; /* NAME=value and a NUL each; NULL: not known */
	size_t env_len;
	int64_t group; /* the process group it belongs to; 0: not known */
};

#define PROCESS_PARAMS_INIT \
	{ \
		NULL, NULL, NULL, NULL, 0, 0 \
	}

enum process_params_state {
	PARAMS_READ,
	PARAMS_NOT_YET, /* it has only been created; some other systems than Windows fill them in later */
	PARAMS_GONE, /* it has ended, or its memory is closed to us */
};

/* `process` is a HANDLE with PROCESS_QUERY_INFORMATION and PROCESS_VM_READ. `params` is overwritten. */
enum process_params_state process_params_read(void *process, struct process_params *params);

void process_params_release(struct process_params *params);

/* The command line by the system's own word (Windows 8.1 and later); NULL where there is none. Caller frees. */
wchar_t *process_command_line(void *process);

/* The file it runs, by the system's own word; NULL where it has none any more. Caller frees. */
char *process_image_path(void *process);

/* Is `pair` (NAME=value) in the environment? */
bool process_params_has_env(const struct process_params *params, const wchar_t *pair);

#endif
