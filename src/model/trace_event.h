/*
 * The events of a trace, by time; the same for perf.data and ETL.
 *
 * A reader (trace/) makes them for model/machine.h and analysis/. All pointers are borrowed from the reader and valid
 * until it reads the next events. Times are nanoseconds from the start of the recording, addresses those of the traced
 * machine, sizes bytes.
 */
#ifndef MODEL_TRACE_EVENT_H
#define MODEL_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_event_kind {
	TRACE_PROCESS_START, /* a fork, or a process that existed before: see trace_start */
	TRACE_THREAD_START,  /* see trace_start: `by_tid` alone */
	TRACE_EXEC,        /* the process runs another program: its address space is empty again */
	TRACE_THREAD_NAME, /* the thread has a new name; after an exec it is in TRACE_EXEC */
	TRACE_THREAD_END,  /* the process ends with its last thread */
	TRACE_PROCESS_END, /* only if the trace has such an event */
	TRACE_MAP,         /* code or data of a module is mapped */
	TRACE_UNMAP,
	TRACE_CPU,    /* a CPU sample */
	TRACE_MEMORY, /* pages are reserved, committed, freed, moved */
	TRACE_TOUCH,  /* a page is touched: all large ones, and of the others a sample */
	TRACE_HEAP,   /* a call of a heap */
	TRACE_RUN,    /* a thread ran on a processor: exact, from context switches */
};

/* The build id or, for a PDB, GUID and age: it distinguishes files of one name. */
#define MODULE_ID_MAX 20

struct trace_map {
	uint64_t address, length;
	uint64_t offset; /* in the file, of the first mapped byte */
	/* "[kernel.kallsyms]_text", "[vdso]", "//anon", ... as the trace has it. */
	const char *path;
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length; /* 0: none */
	/* The path of the PDB in the image's debug directory; NULL: none, or not a PE image. */
	const char *debug_path;
	bool kernel; /* mapped in the kernel, for all processes */
	bool pe;     /* a whole PE image, also in the kernel: offsets are from the image base */
	bool code;   /* false: it is data */
};

/* A stack copy: registers and stack bytes, for unwinding code without frame pointers. */
struct trace_stack_copy {
	uint64_t id; /* identifies the copy in the trace: the offset of its record in the file */
	int64_t tid; /* of the thread with this stack; 0: not known */
	const uint64_t *values;     /* of the registers in `mask`, in the order of its bits */
	uint64_t mask;              /* a bit for each register, in perf's numbering */
	const unsigned char *bytes; /* from the stack pointer upwards */
	size_t bytes_nr;
	bool bits32;
};

/* How the user part of a stack was found. */
enum stack_origin {
	STACK_CHAIN,     /* by frame pointers, while recording: it may end anywhere */
	STACK_UNWOUND,   /* from a stack copy, up to the start of the thread */
	STACK_JOINED,    /* the same, with frames of earlier stacks of the thread */
	STACK_TRUNCATED, /* from a stack copy: outer frames are missing, or all */
};

/*
 * The call stack of an event, leaf first: the kernel part, then the user part. All addresses but the leaf's are
 * return addresses.
 */
struct trace_stack {
	const uint64_t *kernel;
	const uint64_t *user;
	uint32_t kernel_nr, user_nr;
	const struct trace_stack_copy *copy; /* NULL: none, or `user` was unwound from it */
	/*
	 * Where the kernel calls back, as Windows does for messages of windows, its frames are within the user part:
	 * addresses from here on. 0: there are none.
	 */
	uint64_t kernel_from;
	enum stack_origin origin; /* of `user` */
};

/* Whether the stack has a stack copy, or was unwound from one. */
bool trace_stack_is_unwound(const struct trace_stack *stack);

/* Whether it has a user part, though a copy may have no frames. */
bool trace_stack_has_user(const struct trace_stack *stack);

struct trace_cpu {
	int64_t weight_ns;
	/*
	 * It is no sample: it was recorded next to the samples, more rarely, for its stack copy, from which callers that
	 * their stacks lack are taken (analysis/stack_completer.h).
	 */
	bool stack_only;
	struct trace_stack stack;
};

enum memory_op {
	MEMORY_RESERVE, /* the range becomes private and anonymous, not counted; its old contents are released */
	MEMORY_COMMIT, /* the same, but counted */
	MEMORY_UNCOUNTED, /* the range becomes memory that is never counted; its old contents are released */
	MEMORY_COMMIT_RESERVED, /* the reserved parts of the range become committed */
	MEMORY_COMMIT_UNCOMMITTED, /* all parts of the range that are not committed become committed (VirtualAlloc) */
	MEMORY_DECOMMIT, /* the committed parts of the range become reserved */
	MEMORY_RELEASE,
	MEMORY_MOVE, /* to `to`; growth has the state of the last page; old contents at `to` are released */
	MEMORY_PURGE, /* the range stays, and its contents are given back: counted separately */
};

struct trace_memory {
	enum memory_op op;
	uint64_t address, length; /* whole pages */
	/* MEMORY_MOVE only; the old range stays mapped, empty, with `keep`. */
	uint64_t to, to_length;
	/* MEMORY_PURGE: the system takes the pages when it needs some (MADV_FREE), not at once. */
	bool keep;
	bool heap;   /* MEMORY_UNCOUNTED: private memory of no file, writable */
	bool shared; /* MEMORY_UNCOUNTED: what is written there is no private memory of the process */
	int64_t target_pid; /* the process with this memory: the event's pid except for VirtualAllocEx */
	/*
	 * Many recordings have stacks for a sample of the events only. `weight` is the number of similar events, this one
	 * included, that its stack stands for; 0: no stack was recorded for it.
	 */
	uint32_t weight;
	struct trace_stack stack;
};

#define TRACE_TOUCH_UNKNOWN UINT64_MAX /* the address of a page whose address is not known */

/*
 * A page of private memory gets contents of its own: it is written for the first time, or again after the system took it
 * back. An event may also be of a page that has them already, or in shared memory, and then is to be ignored.
 */
struct trace_touch {
	uint64_t address, length; /* of the page, aligned to its length */
	uint32_t
		one_in; /* the page stands for so many: one in so many addresses is in the sample */
	struct trace_stack stack;
};

enum heap_op {
	HEAP_CREATE,
	HEAP_DESTROY, /* all blocks of the heap are freed */
	HEAP_ALLOC,
	HEAP_RESIZE, /* of a block that stays where it is */
	HEAP_FREE,
};

/* A call of a heap by the program, not by the system: it returns blocks, which are parts of pages. */
struct trace_heap_call {
	enum heap_op op;
	uint64_t heap;          /* its handle */
	uint64_t address, size; /* of the block; HEAP_FREE has no size */
	uint32_t weight;        /* as in trace_memory: 1, or 0 if no stack was recorded for it */
	struct trace_stack stack;
};

/*
 * A thread ran on the processor until `to_ns`, at or before the event. Before, it was blocked, for a lock, the disk, a
 * child or anything else, then ready, as another thread had the processor, and then it ran: blocked_ns <= ready_ns <=
 * from_ns <= to_ns, where equal times mean that it was not, or that it is not known.
 */
struct trace_run {
	int64_t blocked_ns, ready_ns, from_ns, to_ns;
	bool switched; /* it began with a switch; false: it ran before the first switch of the processor */
	bool gap; /* switches are missing: who ran from from_ns to to_ns is not known */
};

struct trace_start {
	int64_t ppid;
	int64_t by_tid; /* the thread that started it; 0: unknown */
	bool copied;    /* a fork: it has the parent's mappings and memory, copy on write; false for
			 * processes that existed before, which may run another program by now */
	bool starts; /* it starts now, though it copies nothing (Windows); false: it may have existed before */
	bool has_end; /* there is a TRACE_PROCESS_END: it does not end with its last thread */
	const char *image, *command_line; /* NULL: not in the trace */
};

struct trace_end {
	bool has_code;
	int64_t exit_code; /* see exit_code_is_crash() in platform/child.h */
};

struct trace_event {
	enum trace_event_kind kind;
	int32_t cpu; /* -1: not known */
	int64_t time_ns;
	int64_t pid, tid; /* pid 0 is the idle process, -1 not known */
	union {
		struct trace_start start;
		struct trace_end end; /* TRACE_PROCESS_END */
		const char *name;     /* TRACE_EXEC, TRACE_THREAD_NAME */
		struct trace_map map;
		struct trace_cpu cpu_sample;
		struct trace_memory memory;
		struct trace_touch touch;
		struct trace_heap_call heap;
		struct trace_run run;
	};
};

/* The stack of a CPU sample, a memory event, a touch or a call of a heap; NULL: other events have none. */
const struct trace_stack *trace_event_stack(const struct trace_event *event);

/*
 * An empty event of unknown CPU, to initialise events. Copying it is several times faster than clearing, and readers make
 * millions of events: GCC 12 clears structs of 96 bytes and more with `rep stos`, but copies them with a few moves.
 */
extern const struct trace_event trace_event_none;

#endif
