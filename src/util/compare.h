/*
 * Order of numbers, for qsort() and bsearch(): a difference may overflow.
 */
#ifndef UTIL_COMPARE_H
#define UTIL_COMPARE_H

#include <stdint.h>

/* Below 0, 0, or above 0. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
