/*
 * Converts kernel paths, \Device\HarddiskVolume3\Windows\..., to paths of programs, C:\Windows\...
 */
#ifndef TRACE_ETL_PATHS_H
#define TRACE_ETL_PATHS_H

#include <stddef.h>

#include "util/strbuf.h"

struct etl_prefix;

/* Prefixes and their replacements. */
struct etl_paths {
	struct etl_prefix *v;
	size_t nr, alloc;
};

/* Add a prefix; ignored if it is known. */
void etl_paths_add(struct etl_paths *paths, const char *from, const char *to);
void etl_paths_release(struct etl_paths *paths);

/* Append `path` with its longest known prefix (case ignored) replaced; `\??\` is always removed. */
void etl_paths_map(const struct etl_paths *paths, const char *path, struct strbuf *sb);

#endif
