/*
 * Converts the page faults of a perf recording, and the allocations of large pages, to touched pages.
 *
 * The tracepoints exceptions:page_fault_user and exceptions:page_fault_kernel (x86; arm64 has none) are hit before a fault
 * is handled. Their error_code has the bits of x86's page faults: 1 the page is present, 2 a write, 4 by the program itself
 * (arch/x86/include/asm/trap_pf.h of Linux).
 *
 *     write, the page is not there    2, 6   touched
 *     write, the page is read-only    3, 7   touched: it was only read before (the zero page or a page of a file), or is
 *                                            shared with another process since a fork; analysis/ ignores those that are
 *                                            touched already
 *     read                            0, 4   nothing: the system gives a page of zeros that all share, or the file's
 *
 * Of these, the pages of a sample count (util/page_sampling.h).
 *
 * A fault may bring a large page (transparent huge pages: 2 MB, or sizes between), and then there are no faults for the
 * rest of it. Within that fault the kernel hits kmem:mm_page_alloc with its order, the binary logarithm of its size in
 * pages, with gfp_flags that other large allocations lack (util/page_sampling.h), and with a pfn of all ones if there was
 * no such page (include/trace/events/kmem.h of Linux). It has no address: that is the one of the thread's fault before, if
 * it was recorded.
 *
 * Without a fault, and so not seen: pages of MAP_POPULATE, MADV_POPULATE_WRITE and mlock, of MAP_HUGETLB, of 32-bit
 * programs' calls (the tracepoints of system calls leave them out, so what they release stays).
 */
#ifndef TRACE_LINUX_TOUCHES_H
#define TRACE_LINUX_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "trace/perf/perf_tracing.h"

enum linux_touch_kind {
	LINUX_NO_TOUCH,
	LINUX_FAULT,
	LINUX_LARGE_PAGE,
};

/* One event of the file. */
struct linux_touch_event {
	enum linux_touch_kind kind;
	struct tracepoint_field fields[3]; /* of LINUX_FAULT two: linux_touches.c. Without names */
};

/* The kind of an event with this name, "exceptions:page_fault_user"; NULL: it has none. */
enum linux_touch_kind linux_touch_kind(const char *name);

/*
 * Set the event. False: its name is another one, or its tracepoint (NULL: the file has none) is, or lacks a field.
 */
bool linux_touch_find(const char *name, const struct perf_tracepoint *tracepoint,
		      struct linux_touch_event *event);

/*
 * What linux_touches_sample() needs of the value of a field of `system`'s tracepoints, "exceptions" or "kmem": of others
 * than its own 0.
 */
uint64_t linux_touch_reduce(const char *system, const char *field, uint64_t value);

struct linux_touches;

struct linux_touches *linux_touches_new(void);
void linux_touches_free(struct linux_touches *touches);

/*
 * Process the raw data of a sample, in the order of time. 1: *touch is set but for the stack; 0: it touches nothing that
 * counts; -1: the raw data lacks a field.
 */
int linux_touches_sample(struct linux_touches *touches, const struct linux_touch_event *event,
			 int32_t tid, uint64_t time, const unsigned char *raw, size_t raw_nr,
			 struct trace_touch *touch);

#endif
