/*
 * Signed addition and subtraction that wrap around: with numbers of a damaged file they may overflow.
 */
#ifndef UTIL_WRAP_H
#define UTIL_WRAP_H

#include <stdint.h>

static inline int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline void wrap_add_to(int64_t *to, int64_t value)
{
	*to = wrap_add(*to, value);
}

static inline int64_t wrap_subtract(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
