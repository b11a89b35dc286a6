/*
 * Bits of a number.
 */
#ifndef UTIL_BITS_H
#define UTIL_BITS_H

#include <stddef.h>
#include <stdint.h>

/* The number of set bits. */
static inline size_t bits_count(uint64_t mask)
{
	size_t nr = 0;

	for (; mask; mask &= mask - 1)
		nr++;
	return nr;
}

#endif
