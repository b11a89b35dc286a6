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

struct range_slot {
	uint64_t start; /* of the chunk's first range */
	struct range_chunk *chunk;
};

struct ranges {
	struct range_slot *v;
	size_t chunks, alloc;
	size_t nr;   /* ranges, in all chunks */
	size_t size; /* of the struct */
};

/* Points to a range, or after the last one (chunk == chunks). Insertion and removal invalidate all other cursors. */
struct range_cursor {
	size_t chunk, at;
};

/* `size`: bytes of the range struct. */
void ranges_init(struct ranges *ranges, size_t size);
void ranges_release(struct ranges *ranges);

/* Replace the contents of `ranges` by a copy. */
void ranges_copy(struct ranges *ranges, const struct ranges *from);

/* The first range that ends after `address`. */
struct range_cursor ranges_find(const struct ranges *ranges, uint64_t address);

/* The range at the cursor; NULL after the last one. Call ranges_moved() after a change of its start. */
void *ranges_get(const struct ranges *ranges, const struct range_cursor *cursor);
void ranges_moved(struct ranges *ranges, const struct range_cursor *cursor);

void ranges_next(const struct ranges *ranges, struct range_cursor *cursor);

/* Move to the previous range. False: it was at the first one, and is unchanged. */
bool ranges_previous(const struct ranges *ranges, struct range_cursor *cursor);

/* Insert a copy of a range before the cursor, which then points to it. It must not overlap its neighbours. */
void ranges_insert(struct ranges *ranges, struct range_cursor *cursor, const void *range);

/* Remove the range at the cursor, which then points to the next one. */
void ranges_remove(struct ranges *ranges, struct range_cursor *cursor);

#endif
