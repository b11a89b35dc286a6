/*
 * Paths as the kernel has them, \Device\HarddiskVolume3\Windows\..., to those that people know.
 */
#ifndef TRACE_ETL_PATHS_H
#define TRACE_ETL_PATHS_H

#include <stddef.h>

#include "util/strbuf.h"

struct etl_prefix;

/* Prefixes and what stands for them. */
struct etl_paths {
	struct etl_prefix *v;
	size_t nr, alloc;
};

/* One that is there already is left as it is. */
void etl_paths_add(struct etl_paths *paths, const char *from, const char *to);
void etl_paths_release(struct etl_paths *paths);

/* Append `path` by its longest known prefix, case ignored, else as it is; `\??\` is dropped in any case. */
void etl_paths_map(const struct etl_paths *paths, const char *path, struct strbuf *sb);

#endif
