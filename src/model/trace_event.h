/*
 * What a trace tells, in the order in which it happened, the same from perf.data and from ETL.
 *
 * A reader (trace/) makes these; model/machine.h and analysis/ take them. All pointers are borrowed from the
 * reader and good until it is asked for the next events. Times are nanoseconds from the start of the
 * recording, addresses those of the traced machine, sizes bytes.
 */
#ifndef MODEL_TRACE_EVENT_H
#define MODEL_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_event_kind {
	TRACE_PROCESS_START, /* a fork, or a process that was there before: see trace_start */
	TRACE_THREAD_START,  /* see trace_start: `by_tid` alone */
	TRACE_EXEC, /* another program in the same process: its address space is empty again */
	TRACE_THREAD_NAME, /* of the thread; `exec` carries the first one of the new program */
	TRACE_THREAD_END,  /* the process ends with its last thread */
	TRACE_PROCESS_END, /* where the trace has such an event of its own */
	TRACE_MAP,         /* code or data of a module comes to an address range */
	TRACE_UNMAP,
	TRACE_CPU,    /* a CPU sample */
	TRACE_MEMORY, /* pages are reserved, committed, released, moved */
};

/* The build id or, for a PDB, GUID and age: what tells two files of one name apart. */
#define MODULE_ID_MAX 20

struct trace_map {
	uint64_t address, length;
	uint64_t offset; /* in the file, of the range's first byte */
	/* "[kernel.kallsyms]_text", "[vdso]", "//anon", ... as the trace has it. */
	const char *path;
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length; /* 0: none */
	/* Of the PDB, as the image names it; NULL: it has none, or is no PE image. */
	const char *debug_path;
	bool kernel; /* for all processes */
	bool pe;     /* a PE image as a whole: offsets in it are from its base, in the kernel too */
	bool code;   /* false: known to be data */
};

/* Registers and a piece of the stack, for unwinding code that has no frame pointers. */
struct trace_stack_copy {
	uint64_t id;            /* of this copy in the trace: the place of its record in the file */
	int64_t tid;            /* whose stack it is; 0: not known */
	const uint64_t *values; /* those in `mask`, in the order of the bits (perf's numbering) */
	uint64_t mask;
	const unsigned char *bytes; /* from the stack pointer upwards */
	size_t bytes_nr;
	bool bits32;
};

/*
 * The call stack of an event, leaf first: the kernel's part, then the process's. But for the leaf the
 * addresses are return addresses.
 */
struct trace_stack {
	const uint64_t *kernel;
	const uint64_t *user;
	uint32_t kernel_nr, user_nr;
	const struct trace_stack_copy *copy; /* NULL: none */
};

struct trace_cpu {
	int64_t weight_ns;
	struct trace_stack stack;
};

enum memory_op {
	MEMORY_RESERVE, /* the range is private and anonymous, not yet counted; what was there is released */
	MEMORY_COMMIT, /* the same, but counted */
	MEMORY_OTHER,  /* the range is a file's, or shared; what was there is released */
	MEMORY_ALLOW,  /* those parts of the range that are reserved become committed */
	MEMORY_FILL, /* those parts of the range that are not committed become so (VirtualAlloc) */
	MEMORY_DECOMMIT, /* those parts that are committed become reserved */
	MEMORY_RELEASE,
	MEMORY_MOVE, /* to `to`: growth goes on as the range's last page; what was at `to` is released */
	MEMORY_PURGE, /* residency only: counted apart */
};

struct trace_memory {
	enum memory_op op;
	uint64_t address, length; /* whole pages */
	/* MEMORY_MOVE only; the old range stays mapped, empty, with `keep`. */
	uint64_t to, to_length;
	bool keep;
	int64_t target_pid; /* whose memory it is; the event's own pid but for VirtualAllocEx */
	/*
	 * Many recordings carry stacks for a part of the events only. `weight` is for how many events like it
	 * this one's stack stands (1: itself); 0: no stack was recorded for it.
	 */
	uint32_t weight;
	struct trace_stack stack;
};

struct trace_start {
	int64_t ppid;
	int64_t by_tid; /* the thread that started it; 0: not told */
	bool copied;    /* a fork: it has the parent's mappings and memory, copy on write; false for
			 * what was there before, which may run another program by now */
	bool has_end;   /* its end is an event of its own: it does not end with its last thread */
	const char *image, *command_line; /* where the trace has them; NULL */
};

struct trace_end {
	bool has_code;
	int64_t exit_code; /* see platform/exit_code.h */
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
	};
};

/*
 * To begin with; its cpu is not known. Readers make millions of events, and to copy this one takes a fraction of what clearing
 * takes: GCC 12 clears 96 bytes and more by `rep stos`, and copies as many by some moves.
 */
extern const struct trace_event trace_event_none;

#endif
