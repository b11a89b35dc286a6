/*
 * Hashes of text and other bytes, as keys of a hash index. They differ from process to process: of a hash that is known,
 * FNV for one, it takes a second to find any number of texts that have the same. Not for what is written: util/fnv.h.
 *
 *     HASH_INDEX_FIND(at, &list->index, key_hash_add(key_hash_first(), s, strlen(s)), i, !strcmp(list->v[i], s));
 */
#ifndef UTIL_KEY_HASH_H
#define UTIL_KEY_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. Thread-safe. */
uint64_t key_hash_first(void);

/*
 * Add `nr` bytes to a hash. The upper half of each product is mixed into the lower one, where the next byte goes: what a
 * byte changes there cannot be foretold.
 */
static inline uint64_t key_hash_add(uint64_t hash, const void *data, size_t nr)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < nr; i++) {
		hash = (hash ^ bytes[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

#endif
