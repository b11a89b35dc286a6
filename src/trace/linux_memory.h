/*
 * From the system calls of a perf recording to memory events (design: what counts as commit on Linux).
 *
 * mmap, mremap and brk take effect at their exit, by its value; a failed one changes nothing. munmap,
 * mprotect and madvise are taken at their entry. The break of a process is known from its first brk on;
 * a fork has its parent's, an exec none.
 *
 * A recording may have the same tracepoint several times: once for all calls, without stacks, and as copies
 * that carry registers and stack bytes, picked by filters. A copy is joined to its plain event by thread,
 * arguments and order; both belong to one call, but either may come first.
 */
#ifndef TRACE_LINUX_MEMORY_H
#define TRACE_LINUX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf_sample.h"
#include "trace/tracepoint_format.h"

struct linux_memory;

/* One event of the file, by its index. */
struct linux_memory_event {
	const char *name; /* "syscalls:sys_enter_mmap"; others are not of interest */
	const struct tracepoint_format *format; /* NULL: the file has none */
	bool carries_copy;                      /* its samples have user registers and stack */
	bool frequency; /* sampled by time: most of its events are missing */
};

/*
 * `refusal` gets why the memory can't be told from these events, to be freed; NULL where it can: an event
 * of the accounting (mmap, munmap, mremap, brk, mprotect) is missing, has no format, or was sampled.
 */
struct linux_memory *linux_memory_new(const struct linux_memory_event *events, size_t nr, bool swap,
				      char **refusal);
void linux_memory_free(struct linux_memory *memory);

/* Whether the event of this index is one of the accounting, so that its samples are to be given. */
bool linux_memory_wants(const struct linux_memory *memory, uint32_t event);

/* Whether it is a copy: its plain event exists too. */
bool linux_memory_is_copy(const struct linux_memory *memory, uint32_t event);
bool linux_memory_has_copies(const struct linux_memory *memory);

/*
 * Join copies to plain events within `samples`, sorted by time: partner[i] is the index of the copy for a
 * plain sample, SIZE_MAX for none. Copies without a plain event are counted in *unmatched. A copy whose plain
 * sample is not among these may not occur: the caller cuts where no call is halfway.
 */
void linux_memory_pair(struct linux_memory *memory, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

/*
 * A plain sample (`copy`: its partner's, NULL) by time order. True: it changes memory, and *event is filled
 * but for the time: pid, tid, cpu, memory with stack and weight. Lengths are rounded up to pages of 4 KB.
 */
bool linux_memory_sample(struct linux_memory *memory, const struct perf_sample *sample,
			 const struct perf_sample *copy, struct trace_event *event);

void linux_memory_fork(struct linux_memory *memory, int64_t pid, int64_t ppid);
void linux_memory_exec(struct linux_memory *memory, int64_t pid);
void linux_memory_exit(struct linux_memory *memory, int64_t pid); /* the whole process */
void linux_memory_thread_exit(struct linux_memory *memory, int64_t tid);

/* Damage seen: fields outside of the raw data. */
uint64_t linux_memory_damaged(const struct linux_memory *memory);

#endif
