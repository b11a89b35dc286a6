/*
 * Build ids that perf.data keeps apart from the mappings: the BUILD_ID feature, and HEADER_BUILD_ID records.
 */
#ifndef TRACE_PERF_BUILD_IDS_H
#define TRACE_PERF_BUILD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

struct perf_build_id {
	char *path;
	bool kernel;
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length;
};

struct perf_build_ids {
	struct perf_build_id *v; /* by path, once sorted */
	size_t nr, alloc;
	bool sorted;
};

void perf_build_ids_init(struct perf_build_ids *ids);
void perf_build_ids_release(struct perf_build_ids *ids);

/* A struct build_id_event with its header, `nr` bytes. False where it is none. */
bool perf_build_ids_add(struct perf_build_ids *ids, const unsigned char *record, size_t nr);

/* Give `map` the id of its path where it has none. */
void perf_build_ids_apply(struct perf_build_ids *ids, struct trace_map *map);

#endif
