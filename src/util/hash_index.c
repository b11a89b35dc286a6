#include "util/hash_index.h"

#include <stdlib.h>

#include "util/alloc.h"

#define ALLOC_FIRST 64

void hash_index_release(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index)HASH_INDEX_INIT;
}

/* Where the system places the first slots differs from run to run. */
static uint64_t make_seed(const struct hash_slot *slots)
{
	uint64_t seed = (uint64_t)(uintptr_t)slots * UINT64_C(0xff51afd7ed558ccd);

	return seed ^ seed >> 29;
}

static void fill_slot(struct hash_index *index, struct hash_slot slot)
{
	size_t mask = index->alloc - 1, at = slot.hash & mask;

	while (index->slots[at].number)
		at = (at + 1) & mask;
	index->slots[at] = slot;
}

static void grow(struct hash_index *index)
{
	struct hash_index old = *index;

	index->alloc = old.alloc ? old.alloc * 2 : ALLOC_FIRST;
	index->slots = xcalloc(index->alloc, sizeof(*index->slots));
	if (!old.alloc)
		index->seed = make_seed(index->slots);
	for (size_t i = 0; i < old.alloc; i++) {
		if (old.slots[i].number)
			fill_slot(index, old.slots[i]);
	}
	free(old.slots);
}

void hash_index_add(struct hash_index *index, uint64_t key, uint32_t position)
{
	if (position == HASH_INDEX_NONE)
		alloc_fail();
	if (index->nr >= index->alloc / 4 * 3)
		grow(index);
	fill_slot(index, (struct hash_slot){ position + 1, hash_index_mix(index, key) });
	index->nr++;
}

/* Fill a removed slot with the next one that a search would no longer reach; then fill that one's gap in the same way. */
static void close_gap(struct hash_index *index, size_t gap)
{
	size_t mask = index->alloc - 1;

	for (size_t i = (gap + 1) & mask; index->slots[i].number; i = (i + 1) & mask) {
		size_t from_home = (i - index->slots[i].hash) & mask;

		if (from_home < ((i - gap) & mask))
			continue;
		index->slots[gap] = index->slots[i];
		gap = i;
	}
	index->slots[gap] = (struct hash_slot){ 0, 0 };
}

void hash_index_remove(struct hash_index *index, uint64_t key, uint32_t position)
{
	struct hash_walk walk = hash_index_walk(index, key);
	uint32_t found;

	do
		found = hash_walk_next(&walk);
	while (found != HASH_INDEX_NONE && found != position);
	if (found == HASH_INDEX_NONE)
		return;
	close_gap(index, (walk.at - 1) & walk.mask);
	index->nr--;
}
