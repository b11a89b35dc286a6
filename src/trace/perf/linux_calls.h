/*
 * The system calls of the memory accounting among the events of a perf.data file, and their arguments.
 */
#ifndef TRACE_LINUX_CALLS_H
#define TRACE_LINUX_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/linux_memory.h"
#include "trace/perf/perf_sample.h"
#include "trace/perf/tracepoint_format.h"

/* With the arguments as linux_call_args() gives them. */
enum linux_call {
	LINUX_NONE,
	LINUX_MMAP_ENTER,   /* length, protection, flags */
	LINUX_MMAP_EXIT,    /* result */
	LINUX_MUNMAP,       /* address, length */
	LINUX_MREMAP_ENTER, /* address, old length, new length, flags */
	LINUX_MREMAP_EXIT,  /* result */
	LINUX_BRK_ENTER,
	LINUX_BRK_EXIT,      /* result */
	LINUX_MPROTECT,      /* address, length, protection */
	LINUX_PKEY_MPROTECT, /* as mprotect */
	LINUX_MADVISE,       /* address, length, advice */
	LINUX_CALLS
};

#define LINUX_ARGS 4

struct linux_call_event {
	enum linux_call call;
	bool copy;          /* another event of the same tracepoint is the plain one */
	bool carries_stack; /* chain or copy */
	struct tracepoint_field fields[LINUX_ARGS]; /* without names */
	size_t fields_nr;
};

/*
 * What each of the `nr` events is, into found[nr]. Where there are several of one tracepoint the first of those
 * that carry least is the plain one. Returns NULL, or why the memory can't be told, to be freed.
 */
char *linux_calls_find(const struct linux_memory_event *events, size_t nr,
		       struct linux_call_event *found);

/* False where an argument is not whole in the raw data. */
bool linux_call_args(const struct linux_call_event *event, const struct perf_sample *sample,
		     uint64_t args[LINUX_ARGS]);

#endif
