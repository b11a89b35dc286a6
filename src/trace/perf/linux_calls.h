/*
 * Finds the system calls for memory accounting among the events of a perf.data file, decodes their arguments, and matches
 * duplicates of events with their plain events.
 *
 * When a tracepoint is hit, the kernel writes a sample for each of its events, with the same raw bytes: in a
 * thread's sequence these samples are adjacent. If adjacent hits are equal (a thread repeats the same call), the
 * k-th duplicate of each event belongs to the k-th plain sample, as a filter selects all of them or none.
 */
#ifndef TRACE_LINUX_CALLS_H
#define TRACE_LINUX_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_tracing.h"

/* The system calls, with the arguments that linux_call_args() decodes. */
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

/* One event of the file, by its index. */
struct linux_memory_event {
	const char *name;                       /* "syscalls:sys_enter_mmap"; others are ignored */
	const struct tracepoint_format *format; /* NULL: the file has none */
	bool carries_copy;                      /* its samples have user registers and stack */
	bool carries_chain;                     /* its samples have a user call chain */
	bool frequency; /* sampled by time or count: most events are missing */
};

struct linux_call_event {
	enum linux_call call;
	bool duplicate;     /* another event of the same tracepoint is the plain one */
	bool carries_stack; /* chain or stack copy */
	struct tracepoint_field fields[LINUX_ARGS]; /* without names */
	size_t fields_nr;
};

/*
 * Classify each of the `nr` events into found[nr]. Of several events of one tracepoint, the plain one is the first one that
 * carries the least data; the others are duplicates. Returns NULL, or why memory cannot be accounted; the caller frees it.
 */
char *linux_calls_find(const struct linux_memory_event *events, size_t nr,
		       struct linux_call_event *found);

/*
 * Whether the accounting, or the choice of the calls whose stacks are recorded, depends on a field of the samples of an
 * event with this name, such as "syscalls:sys_enter_mmap". NULL: the event has no name.
 */
bool linux_call_uses(const char *event, const char *field);

/* Decode the arguments. False: the raw data lacks a part of one. */
bool linux_call_args(const struct linux_call_event *event, const struct perf_sample *sample,
		     uint64_t args[LINUX_ARGS]);

struct linux_pairing;

/* `events` is borrowed. */
struct linux_pairing *linux_pairing_new(const struct linux_call_event *events, size_t nr);
void linux_pairing_free(struct linux_pairing *pairing);

/* See linux_memory_pair(). A plain sample with several duplicates gets that of the first event. */
void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

#endif
