#include "util/intmap.h"

#include <assert.h>
#include <stdlib.h>

#include "util/alloc.h"

void intmap_release(struct intmap *map)
{
	free(map->v);
	*map = (struct intmap)INTMAP_INIT;
}

static size_t home(const struct intmap *map, int64_t key)
{
	return (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->alloc - 1);
}

/* The entry of `key`, or the free one where it would go. */
static struct intmap_entry *probe(const struct intmap *map, int64_t key)
{
	size_t mask = map->alloc - 1;
	size_t i = home(map, key);

	while (map->v[i].value && map->v[i].key != key)
		i = (i + 1) & mask;
	return &map->v[i];
}

void *intmap_get(const struct intmap *map, int64_t key)
{
	return map->alloc ? probe(map, key)->value : NULL;
}

static void grow(struct intmap *map)
{
	struct intmap bigger = { NULL, map->nr, map->alloc ? map->alloc * 2 : 64 };

	bigger.v = xcalloc(bigger.alloc, sizeof(*bigger.v));
	for (size_t i = 0; i < map->alloc; i++) {
		if (map->v[i].value)
			*probe(&bigger, map->v[i].key) = map->v[i];
	}
	free(map->v);
	*map = bigger;
}

void intmap_put(struct intmap *map, int64_t key, void *value)
{
	struct intmap_entry *entry;

	assert(value);
	if ((map->nr + 1) * 4 > map->alloc * 3)
		grow(map);
	entry = probe(map, key);
	if (!entry->value)
		map->nr++;
	entry->key = key;
	entry->value = value;
}

/* The gap takes the next entry that could not be found behind it, and so on until a free one. */
static void close_gap(struct intmap *map, size_t gap)
{
	size_t mask = map->alloc - 1;

	for (size_t i = (gap + 1) & mask; map->v[i].value; i = (i + 1) & mask) {
		size_t from_home = (i - home(map, map->v[i].key)) & mask;

		if (from_home < ((i - gap) & mask))
			continue;
		map->v[gap] = map->v[i];
		gap = i;
	}
	map->v[gap] = (struct intmap_entry){ 0, NULL };
}

void *intmap_remove(struct intmap *map, int64_t key)
{
	struct intmap_entry *entry = map->alloc ? probe(map, key) : NULL;
	void *value = entry ? entry->value : NULL;

	if (!value)
		return NULL;
	map->nr--;
	close_gap(map, (size_t)(entry - map->v));
	return value;
}
