/*
 * Converts the system calls of a perf recording to memory events.
 *
 * mmap, mremap and brk take effect at their exit, if the result is no error. munmap, mprotect and madvise
 * take effect at their entry. The break of a process is known from its first brk on; fork copies it, exec
 * resets it.
 *
 * The kernel changes the mappings between entry and exit. So by these rules a range is freed before another thread can
 * get it; only mremap frees its old range at the exit. If another thread gets a part of that range before, the old range
 * is moved to an address of no process first, and at the exit from there. Two calls of one process that move its break at
 * the same time are taken in the order of their exits, which may be the wrong one.
 *
 *     mmap      private, anonymous, not writable   RESERVE
 *               the same, writable                 COMMIT
 *               the same with MAP_NORESERVE        UNCOUNTED: the kernel never charges for it
 *               of a file, or shared               UNCOUNTED
 *     munmap                                       RELEASE
 *     mprotect, to writable                        COMMIT_RESERVED
 *     pkey_mpr. to anything else                   -
 *     brk       upwards; downwards                 COMMIT; RELEASE, of the whole pages between
 *               a query, or refused                -
 *     mremap                                       MOVE
 *               with an old length of 0            UNCOUNTED: a second view of shared memory
 *     madvise   MADV_DONTNEED, MADV_FREE           PURGE
 *               anything else                      -
 *
 * mprotect charges for private memory that was not charged yet and, the kernel says, has no VM_NORESERVE (mprotect_fixup()
 * in mm/mprotect.c). malloc reserves its arenas with PROT_NONE and MAP_NORESERVE, and makes them writable piece by piece:
 * these are counted, although the kernel does not charge for them. What is made unwritable stays counted: the kernel
 * gives it back only if no page of the mapping was ever used, which the recording does not show.
 *
 * Lengths are rounded up to pages of 4 KB; with MAP_HUGETLB to huge pages of the size in the flags, or else of 2 MB, the
 * default of most systems (ksys_mmap_pgoff() in mm/mmap.c).
 *
 * Arguments that the kernel always refuses (an unaligned address, length 0, a range past the end) change
 * nothing. A child of vfork has its parent's memory until it execs. The recording does not show this: its calls are
 * accounted as its own.
 *
 * A recording may have the same tracepoint several times: once for all calls, without stacks, and as duplicates
 * that carry registers and stack bytes, selected by filters. A duplicate is matched with its plain event by thread,
 * arguments and order; either may come first.
 *
 * The stack of a call is in the event itself or in its duplicate. If a call has two events, the stack of the exit
 * is used if it has user frames, else that of the entry. Its weight:
 *
 *     1   the event carries stacks, though this one may have no frames; or the duplicate is of a large call
 *     64  the duplicate was sampled: mprotect and mmap's exit below STACK_LARGE_BYTES (util/stack_sampling.h)
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
#include "trace/perf/linux_calls.h"
#include "trace/perf/perf_decode.h"

struct linux_memory;

/*
 * `events` are not needed afterwards. `*refusal` is NULL, or why memory cannot be accounted with these events (the caller
 * frees it): an event of mmap, munmap, mremap, brk or mprotect is missing, has no format, or was sampled. Then
 * linux_memory_wants() is always false.
 */
struct linux_memory *linux_memory_new(const struct linux_memory_event *events, size_t nr,
				      char **refusal);
void linux_memory_free(struct linux_memory *memory);

/* Must samples of this event be passed to linux_memory_sample()? */
bool linux_memory_wants(const struct linux_memory *memory, uint32_t event);

/* Is the event a duplicate, which has a plain event of the same tracepoint? */
bool linux_memory_is_duplicate(const struct linux_memory *memory, uint32_t event);
bool linux_memory_has_duplicates(const struct linux_memory *memory);

/*
 * Join duplicates to plain events within `samples`, sorted by time and, where it is equal, as in the file:
 * partner[i] is the index of the duplicate for a plain sample, SIZE_MAX for none. Duplicates without a plain event are
 * counted in *unmatched. The plain sample of each duplicate must be among `samples`: the caller ends a batch where no
 * call is in progress.
 */
void linux_memory_pair(struct linux_memory *memory, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched);

/*
 * Process a plain sample and its duplicate (NULL: none); to be called in order of time. Returns how many events it makes:
 * 1: it changes memory, and *event is set except for the time: pid, tid, cpu, memory with stack and weight; 2: *before
 * is set too, an event before it, without a stack. The stack points into the samples or into `memory`, valid until
 * linux_memory_recycle().
 */
size_t linux_memory_sample(struct linux_memory *memory, const struct perf_sample *sample,
			   const struct perf_sample *duplicate, struct trace_event *event,
			   struct trace_event *before);

/* Reuse the memory of all earlier events; to be called once per batch. */
void linux_memory_recycle(struct linux_memory *memory);

void linux_memory_fork(struct linux_memory *memory, int64_t pid, int64_t ppid);
void linux_memory_exec(struct linux_memory *memory, int64_t pid);
void linux_memory_exit(struct linux_memory *memory, int64_t pid); /* the whole process */
void linux_memory_thread_exit(struct linux_memory *memory, int64_t tid);

/* Number of samples with fields outside of the raw data. */
uint64_t linux_memory_damaged(const struct linux_memory *memory);

/* Number of successful mmap and mremap exits that are not accounted, as their entry is not in the recording. */
uint64_t linux_memory_exits_unmatched(const struct linux_memory *memory);

#endif
