/*
 * Ranges of pages, sorted and apart, in chunks: finding, adding and removing one is O(log n) and a move
 * within a chunk, however many there are.
 */
#ifndef ANALYSIS_PAGE_RANGES_H
#define ANALYSIS_PAGE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/page_map.h"

struct page_range {
	uint64_t start, end; /* end: behind its last byte */
	struct page_account account;
	bool committed; /* false: reserved, the account is zero */
};

struct page_slot {
	uint64_t start; /* of the chunk's first range */
	struct page_chunk *chunk;
};

struct page_ranges {
	struct page_slot *v;
	size_t nr, alloc;
	size_t ranges; /* in all chunks */
	unsigned refs; /* for the user */
};

/* A place: at a range, or behind the last one (chunk == nr). Adding and removing make others void. */
struct page_cursor {
	size_t chunk, at;
};

struct page_ranges *page_ranges_new(void);
void page_ranges_free(struct page_ranges *ranges);

/* The first range that ends behind `address`. */
struct page_cursor page_ranges_find(const struct page_ranges *ranges, uint64_t address);

/* NULL behind the last one. Whoever changes `start` has to say so by page_ranges_moved(). */
struct page_range *page_ranges_get(const struct page_ranges *ranges,
				   const struct page_cursor *cursor);
void page_ranges_moved(struct page_ranges *ranges, const struct page_cursor *cursor);

void page_ranges_next(const struct page_ranges *ranges, struct page_cursor *cursor);

/* False at the first range; the cursor is as it was. */
bool page_ranges_previous(const struct page_ranges *ranges, struct page_cursor *cursor);

/* Put a range before the cursor, which is at it then. It has to fit between its neighbours. */
void page_ranges_insert(struct page_ranges *ranges, struct page_cursor *cursor,
			const struct page_range *range);

/* Take the range at the cursor away; the cursor is at the one that followed. */
void page_ranges_remove(struct page_ranges *ranges, struct page_cursor *cursor);

#endif
