#include "util/intmap.h"

#include <assert.h>
#include <stdlib.h>

#include "util/array.h"

void intmap_release(struct intmap *map)
{
	free(map->v);
	hash_index_release(&map->index);
	*map = (struct intmap)INTMAP_INIT;
}

static uint32_t find(const struct intmap *map, int64_t key)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &map->index, (uint64_t)key, i, map->v[i].key == key);
	return at;
}

void *intmap_get(const struct intmap *map, int64_t key)
{
	uint32_t at = find(map, key);

	return at == HASH_INDEX_NONE ? NULL : map->v[at].value;
}

void intmap_put(struct intmap *map, int64_t key, void *value)
{
	uint32_t at = find(map, key);

	assert(value);
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)map->nr++;
		ARRAY_GROW(map->v, map->nr, map->alloc);
		hash_index_add(&map->index, (uint64_t)key, at);
	}
	map->v[at] = (struct intmap_entry){ key, value };
}

void *intmap_remove(struct intmap *map, int64_t key)
{
	uint32_t at = find(map, key), last = (uint32_t)map->nr - 1;
	void *value;

	if (at == HASH_INDEX_NONE)
		return NULL;
	value = map->v[at].value;
	hash_index_remove(&map->index, (uint64_t)key, at);
	if (at != last) {
		hash_index_remove(&map->index, (uint64_t)map->v[last].key, last);
		hash_index_add(&map->index, (uint64_t)map->v[last].key, at);
		map->v[at] = map->v[last];
	}
	map->nr--;
	return value;
}
