#include "model/address_space.h"

static uint64_t mix(uint64_t x, uint64_t more)
{
	x = (x ^ more) * UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 32;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 29;
}

/* The generation is the sum of the hashes of all mappings, so that a change needs only the mappings that it changes. */
static uint64_t hash_mapping(const struct mapping *mapping)
{
	uint64_t hash = mix(UINT64_C(0x9e3779b97f4a7c15), mapping->start);

	hash = mix(hash, mapping->end);
	hash = mix(hash, mapping->offset);
	return mix(hash, mapping->module);
}

void address_space_init(struct address_space *space)
{
	ranges_init(&space->ranges, sizeof(struct mapping), NULL);
	space->generation = 0;
}

void address_space_release(struct address_space *space)
{
	ranges_release(&space->ranges);
	space->generation = 0;
}

void address_space_copy(struct address_space *space, const struct address_space *from)
{
	if (space == from)
		return;
	ranges_copy(&space->ranges, &from->ranges);
	space->generation = from->generation;
}

/* Cut off the part of a mapping below `end`. */
static void cut_start(struct mapping *mapping, uint64_t end)
{
	mapping->offset += end - mapping->start;
	mapping->start = end;
}

/* Cut the mapping at the cursor at `start`, if it begins before; the part above `end` becomes a separate mapping. */
static void split(struct address_space *space, struct range_cursor *cursor, uint64_t start,
		  uint64_t end)
{
	struct mapping *at = ranges_get(&space->ranges, cursor), after;

	if (!at || at->start >= start)
		return;
	after = *at;
	at->end = start;
	space->generation += hash_mapping(at) - hash_mapping(&after);
	ranges_next(&space->ranges, cursor);
	if (after.end <= end)
		return;
	cut_start(&after, end);
	space->generation += hash_mapping(&after);
	ranges_insert(&space->ranges, cursor, &after);
}

/* Unmap a range. Returns the position where a mapping of this range is to be inserted. */
static struct range_cursor clear(struct address_space *space, uint64_t start, uint64_t end)
{
	struct range_cursor cursor = ranges_find(&space->ranges, start);
	struct mapping *at;

	split(space, &cursor, start, end);
	while ((at = ranges_get(&space->ranges, &cursor)) && at->end <= end) {
		space->generation -= hash_mapping(at);
		ranges_remove(&space->ranges, &cursor);
	}
	if (at && at->start < end) {
		space->generation -= hash_mapping(at);
		cut_start(at, end);
		space->generation += hash_mapping(at);
		ranges_moved(&space->ranges, &cursor);
	}
	return cursor;
}

void address_space_map(struct address_space *space, const struct mapping *mapping)
{
	struct mapping cut = *mapping;
	struct range_cursor cursor;

	if (cut.end < cut.start)
		cut.end = UINT64_MAX;
	if (cut.start >= cut.end)
		return;
	cursor = clear(space, cut.start, cut.end);
	space->generation += hash_mapping(&cut);
	ranges_insert(&space->ranges, &cursor, &cut);
}

void address_space_unmap(struct address_space *space, uint64_t start, uint64_t end)
{
	if (end < start)
		end = UINT64_MAX;
	if (start < end)
		clear(space, start, end);
}

const struct mapping *address_space_seek(const struct address_space *space, uint64_t address)
{
	struct range_cursor cursor = ranges_find(&space->ranges, address);

	return ranges_get(&space->ranges, &cursor);
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t address)
{
	const struct mapping *mapping = address_space_seek(space, address);

	return mapping && mapping->start <= address ? mapping : NULL;
}
