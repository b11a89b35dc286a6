/*
 * Sorting by a 64-bit number, byte by byte, without comparisons: for many elements.
 */
#ifndef UTIL_RADIX_SORT_H
#define UTIL_RADIX_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Define `type *name(type *v, size_t nr, type *room)`, which sorts by the member `key`, a number not below 0;
 * elements of equal keys stay in their order. `room` has as many elements. Returns where the result is, `v` or `room`;
 * what is in the other is of no use.
 */
#define RADIX_SORT_DEFINE(name, type, key) \
	static bool name##_byte(const type *from, size_t nr, int shift, type *to) \
	{ \
		size_t starts[256] = { 0 }, start = 0; \
\
		for (size_t i = 0; i < nr; i++) \
			starts[(uint64_t)from[i].key >> shift & 255]++; \
		/* It is the same in all. */ \
		if (starts[(uint64_t)from->key >> shift & 255] == nr) \
			return false; \
		for (size_t i = 0; i < 256; i++) { \
			size_t of_byte = starts[i]; \
\
			starts[i] = start; \
			start += of_byte; \
		} \
		for (size_t i = 0; i < nr; i++) \
			to[starts[(uint64_t)from[i].key >> shift & 255]++] = from[i]; \
		return true; \
	} \
\
	static type *name(type *v, size_t nr, type *room) \
	{ \
		for (int shift = 0; nr && shift < 64; shift += 8) { \
			type *other = v; \
\
			if (!name##_byte(v, nr, shift, room)) \
				continue; \
			v = room; \
			room = other; \
		} \
		return v; \
	}

#endif
