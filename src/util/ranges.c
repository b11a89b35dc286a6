#include "util/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define CHUNK_MAX 64u
#define CHUNK_LOW (CHUNK_MAX / 2) /* two neighbours with up to this many ranges in all are joined */

static void *at(const struct ranges *ranges, const struct range_chunk *chunk, size_t i)
{
	return (unsigned char *)chunk->v + i * ranges->size;
}

static uint64_t start_of(const void *range)
{
	return ((const uint64_t *)range)[0];
}

static uint64_t end_of(const void *range)
{
	return ((const uint64_t *)range)[1];
}

static size_t chunk_size(const struct ranges *ranges)
{
	return sizeof(struct range_chunk) + CHUNK_MAX * ranges->size;
}

void ranges_init(struct ranges *ranges, size_t size, range_bits_fn *bits)
{
	*ranges = (struct ranges){ .size = size, .bits = bits };
}

void ranges_release(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->chunks; i++)
		free(ranges->v[i].chunk);
	free(ranges->v);
	ranges_init(ranges, ranges->size, ranges->bits);
}

void ranges_copy(struct ranges *ranges, const struct ranges *from)
{
	ranges_release(ranges);
	*ranges = (struct ranges){ NULL, from->chunks, 0, from->nr, from->size, from->bits };
	ARRAY_GROW(ranges->v, from->chunks, ranges->alloc);
	for (size_t i = 0; i < from->chunks; i++) {
		const struct range_chunk *chunk = from->v[i].chunk;

		ranges->v[i].start = from->v[i].start;
		ranges->v[i].chunk = xmalloc(chunk_size(from));
		memcpy(ranges->v[i].chunk, chunk, sizeof(*chunk) + chunk->nr * from->size);
	}
}

/*
 * The last chunk that starts at or before the address, else the first. Here and within a chunk the comparisons are
 * branchless: addresses of invalid call chains are random, so that branches would be mispredicted.
 */
static size_t find_chunk(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, nr = ranges->chunks;

	while (nr > 1) {
		size_t half = nr / 2;

		low += ranges->v[low + half].start <= address ? half : 0;
		nr -= half;
	}
	return low;
}

struct range_cursor ranges_find(const struct ranges *ranges, uint64_t address)
{
	struct range_cursor cursor = { find_chunk(ranges, address), 0 };
	const struct range_chunk *chunk;
	const unsigned char *first;
	size_t nr, size = ranges->size;

	if (!ranges->chunks)
		return cursor;
	chunk = ranges->v[cursor.chunk].chunk;
	first = (const unsigned char *)chunk->v;
	for (nr = chunk->nr; nr > 1;) {
		size_t half = nr / 2;
		const unsigned char *upper = first + half * size;
		bool before = end_of(upper - size) <= address;

		/* The address is computed apart from the number: each step waits for the one before. */
		first = before ? upper : first;
		cursor.at += before ? half : 0;
		nr -= half;
	}
	cursor.at += end_of(first) <= address;
	if (cursor.at == chunk->nr)
		cursor = (struct range_cursor){ cursor.chunk + 1, 0 };
	return cursor;
}

void ranges_moved(struct ranges *ranges, const struct range_cursor *cursor)
{
	if (cursor->chunk == ranges->chunks)
		return;
	ranges->v[cursor->chunk].chunk->known = false;
	if (!cursor->at)
		ranges->v[cursor->chunk].start = start_of(ranges_get(ranges, cursor));
}

/* RANGES_GAP is of the ranges within the chunk: what follows the last one may change without it. */
static unsigned bits_of(const struct ranges *ranges, struct range_chunk *chunk)
{
	if (chunk->known)
		return chunk->bits;
	chunk->bits = 0;
	for (size_t i = 0; i < chunk->nr; i++) {
		const void *range = at(ranges, chunk, i);

		chunk->bits |= ranges->bits(range);
		if (i && end_of(at(ranges, chunk, i - 1)) != start_of(range))
			chunk->bits |= RANGES_GAP;
	}
	chunk->known = true;
	return chunk->bits;
}

size_t ranges_skip(const struct ranges *ranges, struct range_cursor *cursor, unsigned wanted,
		   uint64_t end)
{
	size_t first = cursor->chunk;

	for (; cursor->chunk < ranges->chunks;
	     *cursor = (struct range_cursor){ cursor->chunk + 1, 0 }) {
		struct range_chunk *chunk = ranges->v[cursor->chunk].chunk;
		const struct range_slot *next = &ranges->v[cursor->chunk + 1];
		uint64_t last = end_of(at(ranges, chunk, chunk->nr - 1));

		if (last >= end || bits_of(ranges, chunk) & wanted)
			break;
		if (wanted & RANGES_GAP && cursor->chunk + 1 < ranges->chunks &&
		    next->start != last)
			break;
	}
	return cursor->chunk - first;
}

void ranges_next(const struct ranges *ranges, struct range_cursor *cursor)
{
	if (cursor->chunk < ranges->chunks && ++cursor->at == ranges->v[cursor->chunk].chunk->nr)
		*cursor = (struct range_cursor){ cursor->chunk + 1, 0 };
}

bool ranges_previous(const struct ranges *ranges, struct range_cursor *cursor)
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

static void insert_chunk(struct ranges *ranges, size_t i, struct range_chunk *chunk)
{
	ARRAY_GROW(ranges->v, ranges->chunks + 1, ranges->alloc);
	memmove(&ranges->v[i + 1], &ranges->v[i], (ranges->chunks - i) * sizeof(*ranges->v));
	ranges->v[i] = (struct range_slot){ start_of(chunk->v), chunk };
	ranges->chunks++;
}

static void remove_chunk(struct ranges *ranges, size_t i)
{
	free(ranges->v[i].chunk);
	ranges->chunks--;
	memmove(&ranges->v[i], &ranges->v[i + 1], (ranges->chunks - i) * sizeof(*ranges->v));
}

/* Move the upper half of a full chunk to a new one after it. */
static void split_chunk(struct ranges *ranges, struct range_cursor *cursor)
{
	struct range_chunk *chunk = ranges->v[cursor->chunk].chunk;
	struct range_chunk *upper = xmalloc(chunk_size(ranges));

	upper->nr = chunk->nr / 2;
	upper->known = chunk->known = false;
	chunk->nr -= upper->nr;
	memcpy(upper->v, at(ranges, chunk, chunk->nr), upper->nr * ranges->size);
	insert_chunk(ranges, cursor->chunk + 1, upper);
	if (cursor->at > chunk->nr)
		*cursor = (struct range_cursor){ cursor->chunk + 1, cursor->at - chunk->nr };
}

static void insert_first(struct ranges *ranges, struct range_cursor *cursor, const void *range)
{
	struct range_chunk *chunk = xmalloc(chunk_size(ranges));

	chunk->nr = 1;
	chunk->known = false;
	memcpy(chunk->v, range, ranges->size);
	insert_chunk(ranges, 0, chunk);
	*cursor = (struct range_cursor){ 0, 0 };
}

void ranges_insert(struct ranges *ranges, struct range_cursor *cursor, const void *range)
{
	struct range_chunk *chunk;

	ranges->nr++;
	if (!ranges->chunks) {
		insert_first(ranges, cursor, range);
		return;
	}
	if (cursor->chunk == ranges->chunks) {
		cursor->chunk--;
		cursor->at = ranges->v[cursor->chunk].chunk->nr;
	}
	if (ranges->v[cursor->chunk].chunk->nr == CHUNK_MAX)
		split_chunk(ranges, cursor);
	chunk = ranges->v[cursor->chunk].chunk;
	memmove(at(ranges, chunk, cursor->at + 1), at(ranges, chunk, cursor->at),
		(chunk->nr - cursor->at) * ranges->size);
	memcpy(at(ranges, chunk, cursor->at), range, ranges->size);
	chunk->nr++;
	chunk->known = false;
	ranges_moved(ranges, cursor);
}

/* Join a chunk and the next one if both are small; false: not joined. */
static bool join_chunks(struct ranges *ranges, size_t i)
{
	struct range_chunk *chunk, *next;

	if (i + 1 >= ranges->chunks)
		return false;
	chunk = ranges->v[i].chunk;
	next = ranges->v[i + 1].chunk;
	if (chunk->nr + next->nr > CHUNK_LOW)
		return false;
	memcpy(at(ranges, chunk, chunk->nr), next->v, next->nr * ranges->size);
	chunk->nr += next->nr;
	chunk->known = false;
	remove_chunk(ranges, i + 1);
	return true;
}

void ranges_remove(struct ranges *ranges, struct range_cursor *cursor)
{
	struct range_chunk *chunk = ranges->v[cursor->chunk].chunk;

	ranges->nr--;
	chunk->nr--;
	chunk->known = false;
	memmove(at(ranges, chunk, cursor->at), at(ranges, chunk, cursor->at + 1),
		(chunk->nr - cursor->at) * ranges->size);
	if (!chunk->nr) {
		remove_chunk(ranges, cursor->chunk);
		cursor->at = 0;
		return;
	}
	ranges_moved(ranges, cursor);
	join_chunks(ranges, cursor->chunk);
	if (cursor->chunk) {
		size_t before = ranges->v[cursor->chunk - 1].chunk->nr;

		if (join_chunks(ranges, cursor->chunk - 1))
			*cursor = (struct range_cursor){ cursor->chunk - 1, cursor->at + before };
	}
	if (cursor->at == ranges->v[cursor->chunk].chunk->nr)
		*cursor = (struct range_cursor){ cursor->chunk + 1, 0 };
}
