/*
 * Decodes events of the kernel logger: processes, threads, context switches, images, samples, stacks, virtual memory. Each
 * function returns false if the payload lacks a field that its version must have. Texts and addresses are borrowed from
 * the record.
 *
 * Format: MOF classes Process_TypeGroup1, Thread_TypeGroup1, CSwitch, ReadyThread, Image_Load, SampledProfile,
 * StackWalk_Event and PageFault_VirtualAlloc of learn.microsoft.com; for fields that are missing there, microsoft/perfview
 * (KernelTraceEventParser).
 */
#ifndef TRACE_ETL_KERNEL_H
#define TRACE_ETL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/etl/etl_record.h"

/* Opcodes of process and thread events and, except for ETL_OPCODE_START, of image events. */
enum etl_opcode {
	ETL_OPCODE_START = 1,
	ETL_OPCODE_END = 2,
	ETL_OPCODE_DC_START = 3, /* "data collection start": it existed when the trace began */
	ETL_OPCODE_DC_END = 4,   /* it existed when the trace ended */
};

#define ETL_PROCESS_DEFUNCT 39 /* it has ended, and something still refers to it */
/* Of ETL_PROCESS; also of ETL_IMAGE, which has the other values of enum etl_opcode. */
#define ETL_IMAGE_LOAD          10
#define ETL_THREAD_SWITCH       36
#define ETL_THREAD_COMPACT      37 /* a batch of switches; what is in it is documented nowhere */
#define ETL_THREAD_READY        50
#define ETL_THREAD_SET_NAME     72
#define ETL_PERF_MARK           34
#define ETL_PERF_SAMPLE         46
#define ETL_PERF_INTERVAL       72
#define ETL_PERF_INTERVAL_START 73
#define ETL_PERF_INTERVAL_END   74
#define ETL_STACK               32
#define ETL_STACK_CREATE        34
#define ETL_STACK_DELETE        35
#define ETL_STACK_RUNDOWN       36
#define ETL_STACK_KERNEL_KEY    37
#define ETL_STACK_USER_KEY      38
#define ETL_VIRTUAL_ALLOC       98
#define ETL_VIRTUAL_FREE        99

/* Kinds of events, as bits: those of short ones can be left out (etl_merge.h). */
enum etl_kinds {
	ETL_SAMPLES = 1,
	ETL_MEMORY = 2,
	ETL_STACKS = 4, /* of ETL_STACK_WALK */
	ETL_OTHERS = 8,
};

static inline unsigned etl_kind_of(enum etl_provider provider, uint8_t opcode)
{
	switch (provider) {
	case ETL_PERF_INFO:
		return opcode == ETL_PERF_SAMPLE ? ETL_SAMPLES : ETL_OTHERS;
	case ETL_PAGE_FAULT:
		return opcode == ETL_VIRTUAL_ALLOC || opcode == ETL_VIRTUAL_FREE ? ETL_MEMORY
										 : ETL_OTHERS;
	case ETL_STACK_WALK:
		return ETL_STACKS;
	default:
		return ETL_OTHERS;
	}
}

static inline unsigned etl_short_kind(const struct etl_short *event)
{
	return etl_kind_of(etl_provider_of_group(etl_short_group(event)), etl_short_opcode(event));
}

#define ETL_NO_PROCESS UINT32_MAX

struct etl_process {
	uint64_t key, directory;
	uint32_t pid, ppid;
	uint32_t session; /* UINT32_MAX: none */
	uint32_t status;  /* exit code; 0x103 while it runs */
	uint32_t flags;
	bool has_status;
	const unsigned char *sid; /* NULL: none */
	size_t sid_nr;
	struct etl_text image, command_line, package, application;
	uint64_t exit_time; /* FILETIME; 0: unknown */
};

/* Start, end, rundowns, defunct. */
bool etl_decode_process(const struct etl_record *record, struct etl_process *process);

struct etl_thread {
	uint32_t pid, tid;
	uint64_t start; /* address; 0: unknown */
	struct etl_text name;
};

/* Start, end, rundowns, ETL_THREAD_SET_NAME. */
bool etl_decode_thread(const struct etl_record *record, struct etl_thread *thread);

/* Why a thread does not run any more: OldThreadState of CSwitch. Others are those of threads that have not started. */
enum etl_thread_state {
	ETL_STATE_READY = 1, /* another thread took the processor */
	ETL_STATE_STANDBY = 3,
	ETL_STATE_TERMINATED = 4,
	ETL_STATE_WAITING = 5,
	ETL_STATE_DEFERRED_READY = 7,
};

/* Another thread runs on the processor of the event. Thread 0 is idle. */
struct etl_switch {
	uint32_t next, previous; /* thread ids */
	uint8_t state;           /* of `previous`: enum etl_thread_state */
};

/* ETL_THREAD_SWITCH. */
bool etl_decode_switch(const struct etl_record *record, struct etl_switch *change);

/* ETL_THREAD_READY: the thread that may run again; the one of the header woke it. */
bool etl_decode_ready(const struct etl_record *record, uint32_t *tid);

struct etl_image {
	uint64_t base, size;
	uint32_t pid; /* ETL_NO_PROCESS: unknown in version 0 */
	uint32_t checksum, stamp;
	uint64_t default_base;
	struct etl_text path;
};

bool etl_decode_image(const struct etl_record *record, struct etl_image *image);

struct etl_sample {
	uint64_t ip;
	uint32_t tid;
	uint16_t count;
	bool dpc, isr;
};

bool etl_decode_sample(const struct etl_record *record, struct etl_sample *sample);

/* The payload of ETL_PERF_INTERVAL, _START and _END. */
struct etl_interval {
	uint32_t source;   /* 0: the timer of SampledProfile */
	uint32_t now, old; /* 100 ns */
	struct etl_text name;
};

bool etl_decode_interval(const struct etl_record *record, struct etl_interval *interval);

/* ETL_PERF_MARK. */
bool etl_decode_mark(const struct etl_record *record, struct etl_text *text);

/* A part of an event's stack: frames, or a key. The next definition of the key has the frames. */
struct etl_stack {
	uint64_t time; /* the event's */
	uint32_t pid, tid;
	uint64_t key; /* of ETL_STACK_KERNEL_KEY and ETL_STACK_USER_KEY */
	const unsigned char *frames;
	size_t nr; /* number of frames, of `pointer` bytes each, leaf first */
	uint8_t pointer;
};

/* ETL_STACK and references to keys. */
bool etl_decode_stack(const struct etl_record *record, struct etl_stack *stack);

/* Definitions of keys: key, frames, nr, pointer. */
bool etl_decode_stack_key(const struct etl_record *record, struct etl_stack *stack);

/* Frame `i` of a stack. */
static inline uint64_t etl_stack_frame(const struct etl_stack *stack, size_t i)
{
	return etl_get_pointer(stack->frames + stack->pointer * i, stack->pointer);
}

/* The first address of the kernel. */
static inline uint64_t etl_kernel_from(uint8_t pointer)
{
	return pointer == 4 ? UINT64_C(0x80000000) : UINT64_C(0x0000800000000000);
}

static inline bool etl_is_kernel(uint64_t address, uint8_t pointer)
{
	return address >= etl_kernel_from(pointer);
}

/* Number of kernel frames, from the leaf on. After user frames there may be others. */
size_t etl_stack_kernel_nr(const struct etl_stack *stack);

/* winnt.h */
#define ETL_MEM_COMMIT   0x1000u
#define ETL_MEM_RESERVE  0x2000u
#define ETL_MEM_DECOMMIT 0x4000u
#define ETL_MEM_RELEASE  0x8000u
#define ETL_MEM_RESET    0x80000u

/*
 * `size` is the size of the affected pages. VirtualFree() with MEM_RELEASE is called with a size of 0 and releases the
 * whole reservation (learn.microsoft.com), but the record has the size of the reservation: 0x40000 at 0x1420000, with
 * flags 0x8000 (payload in the test PageFaultVirtualFree32bitsV2 of TracingTools/libtrace). So 0 means no pages.
 */
struct etl_virtual {
	uint64_t base, size;
	uint32_t pid; /* process that owns the memory */
	uint32_t flags;
};

/* ETL_VIRTUAL_ALLOC, ETL_VIRTUAL_FREE. */
bool etl_decode_virtual(const struct etl_record *record, struct etl_virtual *call);

/* What such a call does. */
struct etl_pages {
	enum memory_op op;
	uint64_t address, length; /* whole pages */
};

/* False: it does nothing. */
bool etl_pages_of(uint8_t opcode, const struct etl_virtual *call, struct etl_pages *pages);

/*
 * Events about the system and its images, of the kernel's configuration, and those that are added when a trace is merged.
 *
 * Format: SystemConfig_CPU of learn.microsoft.com; EventTrace's header extension as Geoff Chappell describes it; ImageID
 * and SysConfigEx of KernelTraceControl as microsoft/perfview (SymbolTraceEventParser) and snail-server read them.
 */
#define ETL_HEADER_EXTENSION     5 /* ETL_EVENT_TRACE */
#define ETL_HEADER_EXTENSION_END 32
#define ETL_CONFIG_CPU           10 /* ETL_SYSTEM_CONFIG */
#define ETL_CONFIG_DEVICE        22
#define ETL_EX_BUILD             32 /* ETL_SYS_CONFIG_EX */
#define ETL_EX_PATHS             33
#define ETL_EX_VOLUME            35
#define ETL_IMAGE_ID_INFO        0 /* ETL_IMAGE_ID */
#define ETL_IMAGE_ID_RSDS        36

#define ETL_MASK_VIRTUAL_ALLOC 0x4000u /* in the first mask */

/* The kernel flags of the session. */
struct etl_extension {
	uint32_t masks[8];
};

bool etl_decode_extension(const struct etl_record *record, struct etl_extension *extension);

enum etl_architecture {
	ETL_X86 = 0,
	ETL_ARM = 5,
	ETL_AMD64 = 9,
	ETL_ARM64 = 12,
	ETL_ARCHITECTURE_UNKNOWN = 0xffff,
};

struct etl_cpu {
	uint32_t mhz, cpus, memory_mb, page_size;
	struct etl_text computer, domain;
	uint16_t architecture, level, revision; /* enum etl_architecture */
};

bool etl_decode_cpu(const struct etl_record *record, struct etl_cpu *cpu);

/* ETL_CONFIG_DEVICE of version 5 and on. */
struct etl_device {
	const unsigned char *class_guid; /* 16 bytes */
	struct etl_text id, description, name;
};

bool etl_decode_device(const struct etl_record *record, struct etl_device *device);

struct etl_build {
	uint64_t installed; /* seconds since 1970 */
	struct etl_text lab, product;
};

bool etl_decode_build(const struct etl_record *record, struct etl_build *build);

struct etl_system_paths {
	struct etl_text system, windows; /* C:\Windows\system32, C:\Windows\ */
};

bool etl_decode_system_paths(const struct etl_record *record, struct etl_system_paths *paths);

struct etl_volume {
	struct etl_text device, drive; /* \Device\HarddiskVolume2\, C:\ */
};

bool etl_decode_volume(const struct etl_record *record, struct etl_volume *volume);

/* ETL_IMAGE_ID_INFO. */
struct etl_image_info {
	uint64_t base, size; /* of the file */
	uint32_t pid, stamp;
	struct etl_text name;
};

bool etl_decode_image_info(const struct etl_record *record, struct etl_image_info *info);

/* ETL_IMAGE_ID_RSDS: which PDB an image has. */
struct etl_rsds {
	uint64_t base;
	uint32_t pid, age;
	const unsigned char *guid; /* 16 bytes */
	struct etl_text pdb;
};

bool etl_decode_rsds(const struct etl_record *record, struct etl_rsds *rsds);

#endif
