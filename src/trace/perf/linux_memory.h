/*
 * From the system calls of a perf recording to memory events (design: what counts as commit on Linux).
 *
 * mmap, mremap and brk take effect at their exit, by its value; a failed one changes nothing. munmap,
 * mprotect and madvise are taken at their entry. The break of a process is known from its first brk on;
 * a fork has its parent's, an exec none.
 *
 *     mmap      private, anonymous, writable       COMMIT
 *               the same, MAP_NORESERVE or         RESERVE
 *               not writable
 *               of a file, or shared               OTHER
 *     munmap                                       RELEASE
 *     mprotect, to writable                        ALLOW
 *     pkey_mpr. to anything else                   -
 *     brk       upwards; downwards                 COMMIT; RELEASE, of the whole pages between
 *               a query, or refused                -
 *     mremap                                       MOVE
 *               with an old length of 0            OTHER: a second view of shared memory
 *     madvise   MADV_DONTNEED, MADV_FREE           PURGE
 *               anything else                      -
 *
 * What the kernel is known to refuse (an address within a page, no length, a range past the end) changes
 * nothing. A child of vfork has its parent's memory until it execs, which the recording does not tell: its
 * calls are taken for its own.
 *
 * A recording may have the same tracepoint several times: once for all calls, without stacks, and as copies
 * that carry registers and stack bytes, picked by filters. A copy is joined to its plain event by thread,
 * arguments and order; both belong to one call, but either may come first.
 *
 * The stack of a call is that of the event itself, or its copy's. Where a call has two events, that of the
 * exit is taken if it has frames of the process, else that of the entry. Its weight:
 *
 *     1   the event carries stacks, though this one may have no frames; or the copy is of a large call
 *     64  the copy was picked: mprotect and mmap's exit below STACK_LARGE_BYTES (util/stack_sampling.h)
 *     0   neither
 *
 * Values of flags and advices: include/uapi/asm-generic/mman-common.h and mman.h of Linux; x86-64 and arm64
 * have the same.
 */
#ifndef TRACE_LINUX_MEMORY_H
#define TRACE_LINUX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_sample.h"
#include "trace/perf/tracepoint_format.h"

struct linux_memory;

/* One event of the file, by its index. */
struct linux_memory_event {
	const char *name; /* "syscalls:sys_enter_mmap"; others are not of interest */
	const struct tracepoint_format *format; /* NULL: the file has none */
	bool carries_copy;                      /* its samples have user registers and stack */
	bool carries_chain;                     /* ... the process's part of the call chain */
	bool frequency; /* sampled, by time or one in so many: most of its events are missing */
};

/*
 * `events` are not needed afterwards. `refusal` gets why the memory can't be told from these events, to be
 * freed; NULL where it can: an event of the accounting (mmap, munmap, mremap, brk, mprotect) is missing, has no
 * format, or was sampled. Nothing is wanted then.
 */
struct linux_memory *linux_memory_new(const struct linux_memory_event *events, size_t nr,
				      char **refusal);
void linux_memory_free(struct linux_memory *memory);

/* Whether the event of this index is one of the accounting, so that its samples are to be given. */
bool linux_memory_wants(const struct linux_memory *memory, uint32_t event);

/* Whether it is a copy: its plain event exists too. */
bool linux_memory_is_copy(const struct linux_memory *memory, uint32_t event);
bool linux_memory_has_copies(const struct linux_memory *memory);

/*
 * Join copies to plain events within `samples`, sorted by time and, where it is equal, as in the file:
 * partner[i] is the index of the copy for a plain sample, SIZE_MAX for none. Copies without a plain event are
 * counted in *unmatched. A copy whose plain sample is not among these may not occur: the caller cuts where no
 * call is halfway.
 */
void linux_memory_pair(struct linux_memory *memory, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

/*
 * A plain sample (`copy`: its partner's, NULL) by time order. True: it changes memory, and *event is filled
 * but for the time: pid, tid, cpu, memory with stack and weight. Lengths are rounded up to pages of 4 KB.
 * The stack points into the samples or into `memory`, good until linux_memory_recycle().
 */
bool linux_memory_sample(struct linux_memory *memory, const struct perf_sample *sample,
			 const struct perf_sample *copy, struct trace_event *event);

/* The events made so far are done with. To be called once a batch, else memory grows. */
void linux_memory_recycle(struct linux_memory *memory);

void linux_memory_fork(struct linux_memory *memory, int64_t pid, int64_t ppid);
void linux_memory_exec(struct linux_memory *memory, int64_t pid);
void linux_memory_exit(struct linux_memory *memory, int64_t pid); /* the whole process */
void linux_memory_thread_exit(struct linux_memory *memory, int64_t tid);

/* Damage seen: fields outside of the raw data. */
uint64_t linux_memory_damaged(const struct linux_memory *memory);

/* Exits of mmap and mremap that took effect but whose entry is not in the recording: not accounted. */
uint64_t linux_memory_headless(const struct linux_memory *memory);

#endif
