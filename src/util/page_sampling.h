/*
 * Which pages a recording of touched memory covers: a sample by address, so that a page is in the sample each time it is
 * touched and released, or never, as long as it is not moved. The profiler puts these numbers into perf's event filters;
 * the reader takes no other pages, so that a recording without the filters has the same sample.
 *
 * Large pages all count, so no other faults are needed for them than one before each, to know where it is.
 *
 * A page is picked if its lowest five address bits, in pages, are 00101. Zeros, or any other end of a large power of two,
 * would be biased: allocators put their headers there, which are always touched.
 */
#ifndef UTIL_PAGE_SAMPLING_H
#define UTIL_PAGE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE_SAMPLING_BYTES 4096 /* of a page */

/* Perf's filters cannot compare some bits of a field with a value: each 1 is a condition. */
#define PAGE_PICK_ONE_A 0x1000
#define PAGE_PICK_ONE_B 0x4000
#define PAGE_PICK_ZEROS 0x1a000

/* The same as perf's filter of page faults: in a recording's command line it says that its sample is this one. */
#define PAGE_PICK_FILTER \
	"address & " PAGE_TEXT(PAGE_PICK_ONE_A) " && address & " PAGE_TEXT( \
		PAGE_PICK_ONE_B) " && !(address & " PAGE_TEXT(PAGE_PICK_ZEROS) ")"
#define PAGE_TEXT(number)    PAGE_TEXT_OF(number)
#define PAGE_TEXT_OF(number) #number

#define PAGE_PICK_ONES (PAGE_PICK_ONE_A | PAGE_PICK_ONE_B)
#define PAGE_PICK_MASK (PAGE_PICK_ONES | PAGE_PICK_ZEROS)

/* Each picked page stands for this many. */
#define PAGE_PICK_ONE_IN (PAGE_PICK_MASK / PAGE_SAMPLING_BYTES + 1)

/* In error_code of a page fault: a write. */
#define FAULT_WRITE 2

/*
 * Most large pages are touched first near their start: 34 of 40 in the first 16 small pages, 17 in the first, in a compile
 * with jemalloc. Faults with these address bits 0 are recorded for their addresses alone.
 */
#define LARGE_PAGE_ZEROS 0x1f0000

/*
 * Both are in gfp_flags if a large page is allocated for a program (GFP_TRANSHUGE_LIGHT): __GFP_NOMEMALLOC, which large
 * folios of the page cache lack, and __GFP_MOVABLE, which the kernel's own slabs lack. As Linux 6.18 numbers them.
 */
#define LARGE_PAGE_FLAG_A 0x80000
#define LARGE_PAGE_FLAG_B 0x8

static inline bool page_is_picked(uint64_t address)
{
	return (address & PAGE_PICK_MASK) == PAGE_PICK_ONES;
}

#endif
