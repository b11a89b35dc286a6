#include "symbol/module_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/key_hash.h"

void module_map_release(struct module_map *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->v[i].path);
	free(map->v);
	hash_index_release(&map->index);
	*map = (struct module_map){ .v = NULL };
}

static size_t trim_id(const uint8_t *id, size_t nr)
{
	return module_id_trim(id, nr < MODULE_ID_MAX ? nr : MODULE_ID_MAX);
}

static uint64_t hash_key(const char *path, const uint8_t *id, size_t id_nr)
{
	return id_nr ? key_hash_add(key_hash_first(), id, id_nr)
		     : key_hash_add(key_hash_first(), path, strlen(path));
}

static bool is_key(const struct module_key *key, const char *path, const uint8_t *id, size_t id_nr)
{
	return key->id_nr == id_nr &&
	       (id_nr ? !memcmp(key->id, id, id_nr) : !strcmp(key->path, path));
}

uint32_t module_map_find(const struct module_map *map, const char *path, const uint8_t *id,
			 size_t id_nr)
{
	uint32_t at;

	id_nr = trim_id(id, id_nr);
	HASH_INDEX_FIND(at, &map->index, hash_key(path, id, id_nr), i,
			is_key(&map->v[i], path, id, id_nr));
	return at == HASH_INDEX_NONE ? 0 : at + 1;
}

uint32_t module_map_add(struct module_map *map, const char *path, const uint8_t *id, size_t id_nr)
{
	uint32_t number = module_map_find(map, path, id, id_nr);
	struct module_key *key;

	if (number)
		return number;
	id_nr = trim_id(id, id_nr);
	hash_index_add(&map->index, hash_key(path, id, id_nr), (uint32_t)map->nr);
	ARRAY_GROW(map->v, map->nr + 1, map->alloc);
	key = &map->v[map->nr++];
	memset(key, 0, sizeof(*key));
	key->path = xstrdup(path);
	if (id_nr)
		memcpy(key->id, id, id_nr);
	key->id_nr = (uint8_t)id_nr;
	return (uint32_t)map->nr;
}
