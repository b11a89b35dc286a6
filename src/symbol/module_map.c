#include "symbol/module_map.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/fnv.h"

void module_map_release(struct module_map *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->v[i].path);
	free(map->v);
	free(map->index);
	*map = (struct module_map)MODULE_MAP_INIT;
}

static size_t trim_id(const uint8_t *id, size_t nr)
{
	return module_id_trim(id, nr < MODULE_ID_MAX ? nr : MODULE_ID_MAX);
}

static size_t hash_key(const char *path, const uint8_t *id, size_t id_nr)
{
	uint64_t hash =
		id_nr ? fnv_add(FNV_FIRST, id, id_nr) : fnv_add(FNV_FIRST, path, strlen(path));

	return (size_t)(hash ^ hash >> 32);
}

/* Where the number is, or would go. */
static uint32_t *probe(const struct module_map *map, const char *path, const uint8_t *id,
		       size_t id_nr)
{
	size_t mask = map->index_alloc - 1;
	size_t i = hash_key(path, id, id_nr) & mask;

	for (; map->index[i]; i = (i + 1) & mask) {
		const struct module_key *key = &map->v[map->index[i] - 1];

		if (key->id_nr == id_nr &&
		    (id_nr ? !memcmp(key->id, id, id_nr) : !strcmp(key->path, path)))
			break;
	}
	return &map->index[i];
}

static void grow_index(struct module_map *map)
{
	free(map->index);
	map->index_alloc = map->index_alloc ? map->index_alloc * 2 : 64;
	map->index = xcalloc(map->index_alloc, sizeof(*map->index));
	for (size_t i = 0; i < map->nr; i++) {
		const struct module_key *key = &map->v[i];

		*probe(map, key->path, key->id, key->id_nr) = (uint32_t)(i + 1);
	}
}

uint32_t module_map_find(const struct module_map *map, const char *path, const uint8_t *id,
			 size_t id_nr)
{
	return map->nr ? *probe(map, path, id, trim_id(id, id_nr)) : 0;
}

uint32_t module_map_add(struct module_map *map, const char *path, const uint8_t *id, size_t id_nr)
{
	struct module_key *key;
	uint32_t *place;

	if ((map->nr + 1) * 2 > map->index_alloc)
		grow_index(map);
	id_nr = trim_id(id, id_nr);
	place = probe(map, path, id, id_nr);
	if (*place)
		return *place;
	ARRAY_GROW(map->v, map->nr + 1, map->alloc);
	key = &map->v[map->nr++];
	memset(key, 0, sizeof(*key));
	key->path = xstrdup(path);
	if (id_nr)
		memcpy(key->id, id, id_nr);
	key->id_nr = (uint8_t)id_nr;
	return *place = (uint32_t)map->nr;
}
