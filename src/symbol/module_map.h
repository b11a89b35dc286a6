/*
 * Modules by what tells them apart, to numbers from 1 up: the build id, else the path.
 */
#ifndef SYMBOL_MODULE_MAP_H
#define SYMBOL_MODULE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "model/module.h"

struct module_key {
	char *path; /* of the first one with this build id */
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_nr; /* without zeros at its end: perf fills up short ones, and not always */
};

struct module_map {
	struct module_key *v; /* by number - 1 */
	size_t nr, alloc;
	uint32_t *index; /* open addressing, a power of two */
	size_t index_alloc;
};

#define MODULE_MAP_INIT \
	{ \
		NULL, 0, 0, NULL, 0 \
	}

void module_map_release(struct module_map *map);

/* 0: not there. */
uint32_t module_map_find(const struct module_map *map, const char *path, const uint8_t *id,
			 size_t id_nr);
uint32_t module_map_add(struct module_map *map, const char *path, const uint8_t *id, size_t id_nr);

#endif
