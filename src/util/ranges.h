/*
 * Ranges, sorted and apart, in chunks: finding, adding and removing one is O(log n) and a move within a chunk,
 * however many there are.
 *
 * A range is any struct that begins with two uint64_t, its start and its end (behind its last byte), and needs no
 * wider alignment than they do.
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

/* A place: at a range, or behind the last one (chunk == chunks). Adding and removing make others void. */
struct range_cursor {
	size_t chunk, at;
};

void ranges_init(struct ranges *ranges, size_t size);
void ranges_release(struct ranges *ranges);

/* In place of what `ranges` has. */
void ranges_copy(struct ranges *ranges, const struct ranges *from);

/* The first range that ends behind `address`. */
struct range_cursor ranges_find(const struct ranges *ranges, uint64_t address);

/* NULL behind the last one. Whoever changes the start has to say so by ranges_moved(). */
void *ranges_get(const struct ranges *ranges, const struct range_cursor *cursor);
void ranges_moved(struct ranges *ranges, const struct range_cursor *cursor);

void ranges_next(const struct ranges *ranges, struct range_cursor *cursor);

/* False at the first range; the cursor is as it was. */
bool ranges_previous(const struct ranges *ranges, struct range_cursor *cursor);

/* Put a copy of a range before the cursor, which is at it then. It has to fit between its neighbours. */
void ranges_insert(struct ranges *ranges, struct range_cursor *cursor, const void *range);

/* Take the range at the cursor away; the cursor is at the one that followed. */
void ranges_remove(struct ranges *ranges, struct range_cursor *cursor);

#endif
