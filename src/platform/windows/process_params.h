/*
 * What a process was started with, read from its memory: the process environment block (PEB) and the
 * RTL_USER_PROCESS_PARAMETERS that it points to. The creator of a process writes them before its first thread runs. A
 * 32-bit process has them in 64-bit form too; its 32-bit copy is made from that later.
 *
 * winternl.h documents only the first fields. Debuggers use the others too: their offsets have not changed since
 * Windows Vista, that of the process group since Windows 8.
 */
#ifndef PLATFORM_WINDOWS_PROCESS_PARAMS_H
#define PLATFORM_WINDOWS_PROCESS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "platform/proc_event.h"

struct process_params {
	char *image; /* NULL: unknown, as are the next two */
	wchar_t *command_line;
	char *cwd;
	wchar_t *env; /* NAME=value and a NUL each; NULL: unknown */
	size_t env_len;
	int64_t group; /* the process group it belongs to; 0: unknown */
};

#define PROCESS_PARAMS_INIT \
	{ \
		NULL, NULL, NULL, NULL, 0, 0 \
	}

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
