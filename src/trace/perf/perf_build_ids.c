#include "trace/perf/perf_build_ids.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"

#define IDS_MAX 1000000 /* files in one recording */

/* Behind the header: i32 pid, 20 bytes of id, u8 its length, 3 bytes reserved, path. */
enum { ID_AT = 12, LENGTH_AT = 32, PATH_AT = 36 };

void perf_build_ids_init(struct perf_build_ids *ids)
{
	*ids = (struct perf_build_ids){ NULL, 0, 0, true };
}

void perf_build_ids_release(struct perf_build_ids *ids)
{
	for (size_t i = 0; i < ids->nr; i++)
		free(ids->v[i].path);
	free(ids->v);
	perf_build_ids_init(ids);
}

bool perf_build_ids_add(struct perf_build_ids *ids, const unsigned char *record, size_t nr)
{
	struct perf_build_id *id;
	uint16_t misc;
	uint8_t length = MODULE_ID_MAX;

	if (nr <= PATH_AT || !memchr(record + PATH_AT, 0, nr - PATH_AT) || ids->nr >= IDS_MAX)
		return false;
	misc = le_get16(record + 4);
	if (misc & PERF_MISC_BUILD_ID_SIZE)
		length = record[LENGTH_AT];
	if (!length || length > MODULE_ID_MAX)
		return false;
	ARRAY_GROW(ids->v, ids->nr + 1, ids->alloc);
	id = &ids->v[ids->nr++];
	*id = (struct perf_build_id){ .path = xstrdup((const char *)record + PATH_AT),
				      .kernel = (misc & PERF_MISC_CPUMODE) == PERF_MISC_KERNEL,
				      .id_length = length };
	memcpy(id->id, record + ID_AT, length);
	ids->sorted = false;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct perf_build_id *ia = a, *ib = b;

	if (ia->kernel != ib->kernel)
		return ia->kernel ? -1 : 1;
	return strcmp(ia->path, ib->path);
}

void perf_build_ids_apply(struct perf_build_ids *ids, struct trace_map *map)
{
	char kernel[] = "[kernel.kallsyms]";
	struct perf_build_id key = { .kernel = map->kernel }, *found;

	if (map->id_length || !ids->nr)
		return;
	if (!ids->sorted)
		qsort(ids->v, ids->nr, sizeof(*ids->v), compare_ids);
	ids->sorted = true;
	/* The mapping is called by a symbol in it too: "[kernel.kallsyms]_text". */
	key.path = (char *)(uintptr_t)map->path;
	if (map->kernel && strncmp(map->path, kernel, sizeof(kernel) - 1) == 0)
		key.path = kernel;
	found = bsearch(&key, ids->v, ids->nr, sizeof(*ids->v), compare_ids);
	if (!found)
		return;
	memcpy(map->id, found->id, found->id_length);
	map->id_length = found->id_length;
}
