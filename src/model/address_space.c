#include "model/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static uint64_t mix(uint64_t x, uint64_t more)
{
	x = (x ^ more) * UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 32;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 29;
}

/* The generation is the sum of these: each change costs only what it changes. */
static uint64_t hash_mapping(const struct mapping *mapping)
{
	uint64_t hash = mix(UINT64_C(0x9e3779b97f4a7c15), mapping->start);

	hash = mix(hash, mapping->end);
	hash = mix(hash, mapping->offset);
	return mix(hash, mapping->module);
}

void address_space_init(struct address_space *space)
{
	*space = (struct address_space){ .v = NULL };
}

void address_space_release(struct address_space *space)
{
	free(space->v);
	address_space_init(space);
}

void address_space_copy(struct address_space *space, const struct address_space *from)
{
	if (space == from)
		return;
	space->nr = 0;
	if (from->nr) {
		ARRAY_GROW(space->v, from->nr, space->alloc);
		memcpy(space->v, from->v, from->nr * sizeof(*space->v));
	}
	space->nr = from->nr;
	space->generation = from->generation;
}

void address_space_clear(struct address_space *space)
{
	space->nr = 0;
	space->generation = 0;
}

/* The first mapping that ends behind `address`. */
static size_t find_first(const struct address_space *space, uint64_t address)
{
	size_t low = 0, nr = space->nr;

	/* No branch depends on what is compared: garbage addresses could not be foretold. */
	while (nr > 1) {
		size_t half = nr / 2;

		low += space->v[low + half - 1].end <= address ? half : 0;
		nr -= half;
	}
	return low + (nr && space->v[low].end <= address);
}

/* Put `parts` in place of the mappings from `first` up to, not including, `last`. */
static void replace(struct address_space *space, size_t first, size_t last,
		    const struct mapping *parts, size_t nr)
{
	size_t rest = space->nr - last;

	for (size_t i = first; i < last; i++)
		space->generation -= hash_mapping(&space->v[i]);
	for (size_t i = 0; i < nr; i++)
		space->generation += hash_mapping(&parts[i]);
	ARRAY_GROW(space->v, first + nr + rest, space->alloc);
	if (rest)
		memmove(space->v + first + nr, space->v + last, rest * sizeof(*space->v));
	if (nr)
		memcpy(space->v + first, parts, nr * sizeof(*parts));
	space->nr = first + nr + rest;
}

/* Whatever is in the range goes, `mapping` (NULL: nothing) comes. */
static void overlay(struct address_space *space, uint64_t start, uint64_t end,
		    const struct mapping *mapping)
{
	size_t first = find_first(space, start), last = first, nr = 0;
	struct mapping parts[3];

	while (last < space->nr && space->v[last].start < end)
		last++;
	if (first == last && !mapping)
		return;
	if (first < last && space->v[first].start < start) {
		parts[nr] = space->v[first];
		parts[nr++].end = start;
	}
	if (mapping)
		parts[nr++] = *mapping;
	if (first < last && space->v[last - 1].end > end) {
		parts[nr] = space->v[last - 1];
		parts[nr].offset += end - parts[nr].start;
		parts[nr++].start = end;
	}
	replace(space, first, last, parts, nr);
}

void address_space_map(struct address_space *space, const struct mapping *mapping)
{
	struct mapping cut = *mapping;

	if (cut.end < cut.start)
		cut.end = UINT64_MAX;
	if (cut.start < cut.end)
		overlay(space, cut.start, cut.end, &cut);
}

void address_space_unmap(struct address_space *space, uint64_t start, uint64_t end)
{
	if (end < start)
		end = UINT64_MAX;
	if (start < end)
		overlay(space, start, end, NULL);
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t address)
{
	size_t i = find_first(space, address);

	return i < space->nr && space->v[i].start <= address ? &space->v[i] : NULL;
}
