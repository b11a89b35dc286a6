#include "analysis/page_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define CHUNK_MAX 64u
#define CHUNK_LOW (CHUNK_MAX / 2) /* neighbours with no more than this together become one */

struct page_chunk {
	size_t nr; /* at least one */
	struct page_range v[CHUNK_MAX];
};

struct page_ranges *page_ranges_new(void)
{
	struct page_ranges *ranges = xcalloc(1, sizeof(*ranges));

	ranges->refs = 1;
	return ranges;
}

void page_ranges_free(struct page_ranges *ranges)
{
	if (!ranges)
		return;
	for (size_t i = 0; i < ranges->nr; i++)
		free(ranges->v[i].chunk);
	free(ranges->v);
	free(ranges);
}

/* The last chunk that begins at or before the address, else the first. */
static size_t find_chunk(const struct page_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

struct page_cursor page_ranges_find(const struct page_ranges *ranges, uint64_t address)
{
	struct page_cursor cursor = { find_chunk(ranges, address), 0 };
	const struct page_chunk *chunk;
	size_t high;

	if (!ranges->nr)
		return cursor;
	chunk = ranges->v[cursor.chunk].chunk;
	high = chunk->nr;
	while (cursor.at < high) {
		size_t middle = cursor.at + (high - cursor.at) / 2;

		if (chunk->v[middle].end <= address)
			cursor.at = middle + 1;
		else
			high = middle;
	}
	if (cursor.at == chunk->nr)
		cursor = (struct page_cursor){ cursor.chunk + 1, 0 };
	return cursor;
}

struct page_range *page_ranges_get(const struct page_ranges *ranges,
				   const struct page_cursor *cursor)
{
	return cursor->chunk < ranges->nr ? &ranges->v[cursor->chunk].chunk->v[cursor->at] : NULL;
}

void page_ranges_moved(struct page_ranges *ranges, const struct page_cursor *cursor)
{
	if (!cursor->at && cursor->chunk < ranges->nr)
		ranges->v[cursor->chunk].start = ranges->v[cursor->chunk].chunk->v[0].start;
}

void page_ranges_next(const struct page_ranges *ranges, struct page_cursor *cursor)
{
	if (cursor->chunk < ranges->nr && ++cursor->at == ranges->v[cursor->chunk].chunk->nr)
		*cursor = (struct page_cursor){ cursor->chunk + 1, 0 };
}

bool page_ranges_previous(const struct page_ranges *ranges, struct page_cursor *cursor)
{
	if (cursor->at) {
		cursor->at--;
		return true;
	}
	if (!cursor->chunk)
		return false;
	cursor->chunk--;
	cursor->at = ranges->v[cursor->chunk].chunk->nr - 1;
	return true;
}

static void insert_chunk(struct page_ranges *ranges, size_t at, struct page_chunk *chunk)
{
	ARRAY_GROW(ranges->v, ranges->nr + 1, ranges->alloc);
	memmove(&ranges->v[at + 1], &ranges->v[at], (ranges->nr - at) * sizeof(*ranges->v));
	ranges->v[at] = (struct page_slot){ chunk->v[0].start, chunk };
	ranges->nr++;
}

static void remove_chunk(struct page_ranges *ranges, size_t at)
{
	free(ranges->v[at].chunk);
	ranges->nr--;
	memmove(&ranges->v[at], &ranges->v[at + 1], (ranges->nr - at) * sizeof(*ranges->v));
}

/* Half of a full chunk goes to a new one behind it. */
static void split_chunk(struct page_ranges *ranges, struct page_cursor *cursor)
{
	struct page_chunk *chunk = ranges->v[cursor->chunk].chunk;
	struct page_chunk *behind = xmalloc(sizeof(*behind));

	behind->nr = chunk->nr / 2;
	chunk->nr -= behind->nr;
	memcpy(behind->v, &chunk->v[chunk->nr], behind->nr * sizeof(*behind->v));
	insert_chunk(ranges, cursor->chunk + 1, behind);
	if (cursor->at > chunk->nr)
		*cursor = (struct page_cursor){ cursor->chunk + 1, cursor->at - chunk->nr };
}

void page_ranges_insert(struct page_ranges *ranges, struct page_cursor *cursor,
			const struct page_range *range)
{
	struct page_chunk *chunk;

	ranges->ranges++;
	if (!ranges->nr) {
		chunk = xmalloc(sizeof(*chunk));
		chunk->nr = 1;
		chunk->v[0] = *range;
		insert_chunk(ranges, 0, chunk);
		*cursor = (struct page_cursor){ 0, 0 };
		return;
	}
	if (cursor->chunk == ranges->nr) {
		cursor->chunk--;
		cursor->at = ranges->v[cursor->chunk].chunk->nr;
	}
	if (ranges->v[cursor->chunk].chunk->nr == CHUNK_MAX)
		split_chunk(ranges, cursor);
	chunk = ranges->v[cursor->chunk].chunk;
	memmove(&chunk->v[cursor->at + 1], &chunk->v[cursor->at],
		(chunk->nr - cursor->at) * sizeof(*chunk->v));
	chunk->v[cursor->at] = *range;
	chunk->nr++;
	page_ranges_moved(ranges, cursor);
}

/* The chunk at `at` takes in the one behind it. */
static bool join_chunks(struct page_ranges *ranges, size_t at)
{
	struct page_chunk *chunk, *behind;

	if (at + 1 >= ranges->nr)
		return false;
	chunk = ranges->v[at].chunk;
	behind = ranges->v[at + 1].chunk;
	if (chunk->nr + behind->nr > CHUNK_LOW)
		return false;
	memcpy(&chunk->v[chunk->nr], behind->v, behind->nr * sizeof(*behind->v));
	chunk->nr += behind->nr;
	remove_chunk(ranges, at + 1);
	return true;
}

void page_ranges_remove(struct page_ranges *ranges, struct page_cursor *cursor)
{
	struct page_chunk *chunk = ranges->v[cursor->chunk].chunk;

	ranges->ranges--;
	chunk->nr--;
	memmove(&chunk->v[cursor->at], &chunk->v[cursor->at + 1],
		(chunk->nr - cursor->at) * sizeof(*chunk->v));
	if (!chunk->nr) {
		remove_chunk(ranges, cursor->chunk);
		cursor->at = 0;
		return;
	}
	page_ranges_moved(ranges, cursor);
	join_chunks(ranges, cursor->chunk);
	if (cursor->chunk) {
		size_t before = ranges->v[cursor->chunk - 1].chunk->nr;

		if (join_chunks(ranges, cursor->chunk - 1))
			*cursor = (struct page_cursor){ cursor->chunk - 1, cursor->at + before };
	}
	if (cursor->at == ranges->v[cursor->chunk].chunk->nr)
		*cursor = (struct page_cursor){ cursor->chunk + 1, 0 };
}
