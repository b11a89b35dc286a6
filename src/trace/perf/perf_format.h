/*
 * Constants of the perf.data format. The format has the byte order of the recording machine; only little-endian is
 * supported.
 *
 * Format: include/uapi/linux/perf_event.h, tools/perf/Documentation/perf.data-file-format.txt and
 * tools/lib/perf/include/perf/event.h of Linux.
 */
#ifndef TRACE_PERF_FORMAT_H
#define TRACE_PERF_FORMAT_H

#include <stdint.h>

#include "util/little_endian.h"

#define PERF_RECORD_HEADER 8 /* u32 type, u16 misc, u16 size with the header */

enum perf_record_type {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_LOST_SAMPLES = 13,
	PERF_KERNEL_LAST = 22, /* CALLCHAIN_DEFERRED */
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_TRACING_DATA = 66,
	PERF_HEADER_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_EVENT_UPDATE = 78,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
	PERF_TOOL_LAST = 84, /* BPF_METADATA */
};

enum perf_misc {
	PERF_MISC_CPUMODE = 7,
	PERF_MISC_KERNEL = 1,
	PERF_MISC_USER = 2,
	PERF_MISC_MMAP_DATA = 1 << 13,
	PERF_MISC_COMM_EXEC = 1 << 13,
	PERF_MISC_FORK_EXEC = 1 << 13, /* synthesized by perf, since Linux 4.20 */
	PERF_MISC_MMAP_BUILD_ID = 1 << 14,
	PERF_MISC_LOST_SAMPLES_BPF = 1 << 15, /* dropped by the user's BPF filter */
	PERF_MISC_BUILD_ID_SIZE = 1 << 15,
};

enum perf_sample_field {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_BRANCH_STACK = 1 << 11,
	PERF_SAMPLE_REGS_USER = 1 << 12,
	PERF_SAMPLE_STACK_USER = 1 << 13,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
};

enum perf_event_type {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
};

enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURES = 256,
};

#endif
