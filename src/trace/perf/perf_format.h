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
	PERF_THROTTLE = 5,
	PERF_UNTHROTTLE = 6,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_ITRACE_START = 12,
	PERF_LOST_SAMPLES = 13,
	PERF_SWITCH = 14,
	PERF_SWITCH_CPU_WIDE = 15,
	PERF_KERNEL_LAST = 22, /* CALLCHAIN_DEFERRED */
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_TRACING_DATA = 66,
	PERF_HEADER_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_ID_INDEX = 69,
	PERF_AUXTRACE = 71,
	PERF_CPU_MAP = 74,
	PERF_EVENT_UPDATE = 78,
	PERF_TIME_CONV = 79,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_FINISHED_INIT = 82,
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
	/* WEIGHT, DATA_SRC, TRANSACTION, PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT */
	PERF_SAMPLE_NUMBERS = 1 << 14 | 1 << 15 | 1 << 17 | 1 << 19 | 7 << 21 | 1 << 24,
};

/* Markers in a call chain: the kind of the addresses that follow. All numbers from PERF_CONTEXT_FIRST on are markers. */
#define PERF_CONTEXT_FIRST UINT64_C(-4095)
enum perf_context {
	PERF_CONTEXT_KERNEL = -128,
	PERF_CONTEXT_USER = -512,
};

enum perf_event_type {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
};

/* Offsets in the header of a file. Sections are u64 offset and u64 size. */
enum perf_header_field {
	PERF_HEADER_ATTR_SIZE =
		16,             /* u64: size of an attr and of the section of its ids, together */
	PERF_HEADER_ATTRS = 24, /* section */
	PERF_HEADER_DATA = 40,  /* section */
	PERF_HEADER_TYPES = 56, /* section, empty since Linux 3.6 */
	PERF_HEADER_FEATURES = 72, /* a bit for each */
	PERF_HEADER_SIZE = 104,
};

/* Offsets in struct perf_event_attr. */
enum perf_attr_field {
	PERF_ATTR_SAMPLE_TYPE = 24,
	PERF_ATTR_FLAGS = 40,
	PERF_ATTR_REGS_USER = 80,
	PERF_ATTR_STACK_USER = 88,
};

enum perf_attr_flag {
	PERF_ATTR_FREQ = 1 << 10,
	PERF_ATTR_SAMPLE_ID_ALL = 1 << 18,
	PERF_ATTR_EXCLUDE_CALLCHAIN_USER = 1 << 22,
	PERF_ATTR_USE_CLOCKID = 1 << 25,
};

/* In the feature PERF_FEATURE_DISTILLED: perf_rewrite.h. */
enum perf_distilled {
	PERF_DISTILLED_VERSION = 1,
	PERF_DISTILLED_TRUNCATED = 1, /* flags of the file */
	PERF_DISTILLED_AT_END = 2,
	PERF_DISTILLED_COPIES = 1, /* flags of an event */
	PERF_DISTILLED_CHAINS = 2,
};

/* Offsets in a struct build_id_event: header, i32 pid, 20 bytes of id, u8 its length, 3 bytes reserved, path. */
enum perf_build_id_field {
	PERF_BUILD_ID_AT = 12,
	PERF_BUILD_ID_LENGTH = 32,
	PERF_BUILD_ID_PATH = 36,
};

#define PERF_UPDATE_NAME 2  /* kind of an EVENT_UPDATE */
#define PERF_NAME_ALIGN  64 /* perf pads the texts of features to such a multiple */

#define PERF_SECTION_MAX (UINT64_C(64) << 20) /* larger ones are refused */

enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_CPUID = 9,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_BRANCH_STACK = 15,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURE_DISTILLED = 255, /* ours: perf_rewrite.h; perf ignores it */
	PERF_FEATURES = 256,
};

#endif
