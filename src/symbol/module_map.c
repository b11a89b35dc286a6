#include "symbol/module_map.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

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
	if (nr > MODULE_ID_MAX)
		nr = MODULE_ID_MAX;
	while (nr && !id[nr - 1])
		nr--;
	return nr;
}

static size_t hash_bytes(const void *data, size_t nr)
{
	const unsigned char *bytes = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* Where the number is, or would go. */
static uint32_t *probe(const struct module_map *map, const char *path, const uint8_t *id,
		       size_t id_nr)
{
	size_t mask = map->index_alloc - 1;
	size_t i = (id_nr ? hash_bytes(id, id_nr) : hash_bytes(path, strlen(path))) & mask;

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
