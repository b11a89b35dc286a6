/*
 * Numbers modules from 1 up. Modules with the same build id (or path, without one) have the same number.
 */
#ifndef SYMBOL_MODULE_MAP_H
#define SYMBOL_MODULE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"
#include "util/hash_index.h"

struct module_key {
	char *path; /* the first with this build id */
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_nr; /* without trailing zeros: perf pads short ids, but not always */
};

struct module_map {
	struct module_key *v; /* by number - 1 */
	size_t nr, alloc;
	struct hash_index index;
};

void module_map_release(struct module_map *map);

/* The number of a module; 0: unknown. */
uint32_t module_map_find(const struct module_map *map, const char *path, const uint8_t *id,
			 size_t id_nr);
/* The number of a module, which is added if it is new. */
uint32_t module_map_add(struct module_map *map, const char *path, const uint8_t *id, size_t id_nr);

#endif
