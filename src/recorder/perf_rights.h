/*
 * What this system lets us do with perf_event_open(2): sysctls, capabilities, tracefs. Facts for advice; whether
 * a recording works is told by a trial run alone.
 */
#ifndef RECORDER_PERF_RIGHTS_H
#define RECORDER_PERF_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_MAX_STACK_FILE   "/proc/sys/kernel/perf_event_max_stack"
#define PERF_SAMPLE_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

struct perf_rights {
	bool admin;
	bool capable;            /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool may_lock_memory;    /* CAP_IPC_LOCK: buffers of any size */
	int64_t paranoid;        /* kernel.perf_event_paranoid; -2 not known */
	int64_t max_stack;       /* frames; 0 not known */
	int64_t max_sample_rate; /* Hz; 0 not known */
	int64_t mlock_kb;        /* buffer per CPU without CAP_IPC_LOCK; 0 not known */
	bool tracefs;            /* mounted, with the tracepoints of system calls, and readable */
	bool tracefs_mounted;
	int kernel; /* 601 for Linux 6.1; 0 not known */
};

void perf_rights_read(struct perf_rights *rights);

#endif
