/*
 * What a process has used, by a handle that is good after its end too.
 *
 * Wine answers otherwise than Windows: it gives the asker's own CPU time for that of any other process, and no peaks
 * of one that has ended. Where we run on it both are taken from the list of processes while it lives.
 */
#ifndef PLATFORM_WINDOWS_PROCESS_USAGE_H
#define PLATFORM_WINDOWS_PROCESS_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct process_usage {
	int64_t created, exited; /* FILETIME; exited is 0 while it lives */
	int64_t cpu_ns;          /* -1: not known, as are the next two */
	int64_t peak_resident_bytes;
	int64_t peak_commit_bytes;
};

/* `process` is a HANDLE with PROCESS_QUERY_LIMITED_INFORMATION at least. */
void process_usage_read(void *process, struct process_usage *usage);

/*
 * Has it ended? `process` is a HANDLE with SYNCHRONIZE as well. (To Wine one whose first thread is still to come is
 * signalled like one that has ended.)
 */
bool process_is_over(void *process);

/* Are handles no good for this (Wine)? */
bool process_usage_needs_list(void);

#endif
