/*
 * A hash index of an array: finds positions of elements by key. The caller owns the array. The index stores 32 bits of each
 * key's hash, so that it is resized without access to the elements.
 *
 *     uint32_t at;
 *
 *     HASH_INDEX_FIND(at, &list->index, key, i, list->v[i].key == key);
 *     if (at == HASH_INDEX_NONE) {
 *             at = (uint32_t)list->nr;
 *             hash_index_add(&list->index, key, at);
 *             ...
 *     }
 *
 * A key is a 64-bit number, which need not be a good hash: the index mixes its bits. Pass a pid or a pointer as it is; for
 * text, pass its key_hash_add(). How they are mixed differs from index to index, so that nobody can write a file whose keys
 * all have one hash.
 */
#ifndef UTIL_HASH_INDEX_H
#define UTIL_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Not a position: no element was found. */
#define HASH_INDEX_NONE UINT32_MAX

struct hash_slot {
	uint32_t number; /* position + 1; 0: free */
	uint32_t hash;
};

/* Open addressing, linear probing: a search begins at the slot selected by the hash and ends at a free slot. */
struct hash_index {
	struct hash_slot *slots;
	size_t nr, alloc; /* alloc: 0 or a power of two */
	uint64_t seed;
};

#define HASH_INDEX_INIT \
	{ \
		NULL, 0, 0, 0 \
	}

void hash_index_release(struct hash_index *index);

/*
 * Add a position under `key`. Several positions may have the same key. Ends the program if `position` is
 * HASH_INDEX_NONE: callers need no check for more than 32 bits.
 */
void hash_index_add(struct hash_index *index, uint64_t key, uint32_t position);

/* Remove the position that was added under `key`, if it is there. */
void hash_index_remove(struct hash_index *index, uint64_t key, uint32_t position);

static inline uint32_t hash_index_mix(const struct hash_index *index, uint64_t key)
{
	key ^= index->seed;
	key *= UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(key ^ key >> 32);
}

/* Iterates over the positions of one hash. */
struct hash_walk {
	const struct hash_slot *slots; /* NULL: the index is empty */
	size_t mask, at;
	uint32_t hash;
};

static inline struct hash_walk hash_index_walk(const struct hash_index *index, uint64_t key)
{
	uint32_t hash = hash_index_mix(index, key);
	size_t mask = index->alloc - 1;

	return (struct hash_walk){ index->slots, mask, hash & mask, hash };
}

/* The next position with the same hash; the caller must compare keys. HASH_INDEX_NONE after the last. */
static inline uint32_t hash_walk_next(struct hash_walk *walk)
{
	while (walk->slots && walk->slots[walk->at].number) {
		const struct hash_slot *slot = &walk->slots[walk->at];

		walk->at = (walk->at + 1) & walk->mask;
		if (slot->hash == walk->hash)
			return slot->number - 1;
	}
	return HASH_INDEX_NONE;
}

/*
 * For many searches at a time, each of which waits for memory: prefetch the slot where that for `key` begins, for all of
 * them; then the elements at their first positions.
 */
static inline void hash_index_prefetch(const struct hash_index *index, uint64_t key)
{
	if (index->alloc)
		__builtin_prefetch(&index->slots[hash_index_mix(index, key) & (index->alloc - 1)]);
}

/* The position that a search for `key` sees first, which may be of another key; HASH_INDEX_NONE: there is none. */
static inline uint32_t hash_index_first(const struct hash_index *index, uint64_t key)
{
	return index->alloc
		       ? index->slots[hash_index_mix(index, key) & (index->alloc - 1)].number - 1
		       : HASH_INDEX_NONE;
}

/* Set `position` (a uint32_t) to the first position `i` under `key` for which the expression `equal` is true. */
#define HASH_INDEX_FIND(position, index, key, i, equal) \
	do { \
		struct hash_walk hash_index_walk_ = hash_index_walk((index), (key)); \
		uint32_t i; \
		do \
			i = hash_walk_next(&hash_index_walk_); \
		while (i != HASH_INDEX_NONE && !(equal)); \
		(position) = i; \
	} while (0)

#endif
