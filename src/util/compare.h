/*
 * Comparison of numbers for qsort() and bsearch(), which cannot overflow as a subtraction can.
 */
#ifndef UTIL_COMPARE_H
#define UTIL_COMPARE_H

#include <stdint.h>

/* Negative if a < b, 0 if equal, positive if a > b. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
