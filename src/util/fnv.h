/*
 * The hash function FNV-1a, 64 bits, the same in each process. Texts with one hash are easily made: keys of an index are by
 * util/key_hash.h.
 *
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
#ifndef UTIL_FNV_H
#define UTIL_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_FIRST UINT64_C(0xcbf29ce484222325)

/* Add `nr` bytes to a hash. The initial value is FNV_FIRST. */
static inline uint64_t fnv_add(uint64_t hash, const void *data, size_t nr)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
