/*
 * What this system permits for perf_event_open(2): sysctls, capabilities, tracefs. Used for advice to the user only;
 * a trial run of perf decides whether a recording works.
 */
#ifndef PROFILER_PERF_RIGHTS_H
#define PROFILER_PERF_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_MAX_STACK_FILE   "/proc/sys/kernel/perf_event_max_stack"
#define PERF_SAMPLE_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

struct perf_rights {
	bool admin;
	bool capable;            /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool may_lock_memory;    /* CAP_IPC_LOCK: buffers of any size */
	bool may_realtime;       /* a real-time priority */
	int64_t paranoid;        /* kernel.perf_event_paranoid; -2: unknown */
	int64_t max_stack;       /* frames; 0: unknown */
	int64_t max_sample_rate; /* Hz; 0: unknown */
	int64_t mlock_kb;        /* buffer per CPU without CAP_IPC_LOCK; 0: unknown */
	bool tracefs;            /* mounted, with the tracepoints of system calls, and readable */
	bool tracefs_mounted;
	bool page_faults; /* its tracepoints of page faults, which only x86 has, are readable */
	bool large_pages; /* programs may get transparent huge pages, of any size, asked for or not */
	int kernel;       /* 601 for Linux 6.1; 0: unknown */
};

void perf_rights_read(struct perf_rights *rights);

/* Whether programs may get large pages, by the settings in a directory: /sys/kernel/mm/transparent_hugepage. */
bool perf_rights_large_pages(const char *dir);

#endif
