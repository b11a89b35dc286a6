/*
 * A sorted list of disjoint ranges, stored in chunks: to find, add or remove a range takes O(log n) and a move within one
 * chunk.
 *
 * A range is any struct that begins with two uint64_t, its start and its end (after its last byte), and needs no
 * larger alignment than they do.
 */
#ifndef UTIL_RANGES_H
#define UTIL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits that say what a range is, for ranges_skip(); all but RANGES_GAP. */
typedef unsigned range_bits_fn(const void *range);

#define RANGES_GAP 1u /* the next range does not begin where this one ends */

struct range_chunk {
	size_t nr;     /* at least one */
	unsigned bits; /* of all its ranges, if `known` */
	bool known;
	uint64_t v[]; /* the ranges */
};

struct range_slot {
	uint64_t start; /* of the chunk's first range */
	struct range_chunk *chunk;
};

struct ranges {
	struct range_slot *v;
	size_t chunks, alloc;
	size_t nr;           /* ranges, in all chunks */
	size_t size;         /* of the struct */
	range_bits_fn *bits; /* NULL: ranges have no bits */
};

/* Points to a range, or after the last one (chunk == chunks). Insertion and removal invalidate all other cursors. */
struct range_cursor {
	size_t chunk, at;
};

/* `size`: bytes of the range struct. `bits` may be NULL, and ranges_skip() is not called then. */
void ranges_init(struct ranges *ranges, size_t size, range_bits_fn *bits);
void ranges_release(struct ranges *ranges);

/* Replace the contents of `ranges` by a copy. */
void ranges_copy(struct ranges *ranges, const struct ranges *from);

/* The first range that ends after `address`. */
struct range_cursor ranges_find(const struct ranges *ranges, uint64_t address);

/* The range at the cursor; NULL after the last one. Call ranges_moved() after a change of its start, end or bits. */
static inline void *ranges_get(const struct ranges *ranges, const struct range_cursor *cursor)
{
	if (cursor->chunk >= ranges->chunks)
		return NULL;
	return (unsigned char *)ranges->v[cursor->chunk].chunk->v + cursor->at * ranges->size;
}

void ranges_moved(struct ranges *ranges, const struct range_cursor *cursor);

void ranges_next(const struct ranges *ranges, struct range_cursor *cursor);

/*
 * Move past whole chunks of which no range has any of the bits `wanted`, but not beyond the chunk that has `end`: so many
 * ranges that do not matter cost little, however often they are passed. Returns the number of these chunks.
 */
size_t ranges_skip(const struct ranges *ranges, struct range_cursor *cursor, unsigned wanted,
		   uint64_t end);

/* Move to the previous range. False: it was at the first one, and is unchanged. */
bool ranges_previous(const struct ranges *ranges, struct range_cursor *cursor);

/* Insert a copy of a range before the cursor, which then points to it. It must not overlap its neighbours. */
void ranges_insert(struct ranges *ranges, struct range_cursor *cursor, const void *range);

/* Remove the range at the cursor, which then points to the next one. */
void ranges_remove(struct ranges *ranges, struct range_cursor *cursor);

#endif
