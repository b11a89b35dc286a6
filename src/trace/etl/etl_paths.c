#include "trace/etl/etl_paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/ascii.h"

/* A system has a few dozen volumes. */
#define PREFIXES_MAX 4096

/* A prefix of the object manager; a path of programs follows it. */
#define DOS_DEVICES "\\??\\"

struct etl_prefix {
	char *from, *to;
	size_t from_nr;
};

static bool begins(const char *path, const char *prefix)
{
	while (*prefix && ascii_lower(*path) == ascii_lower(*prefix)) {
		path++;
		prefix++;
	}
	return !*prefix;
}

static const struct etl_prefix *find_prefix(const struct etl_paths *paths, const char *path)
{
	const struct etl_prefix *best = NULL;

	for (size_t i = 0; i < paths->nr; i++) {
		const struct etl_prefix *prefix = &paths->v[i];

		if ((!best || prefix->from_nr > best->from_nr) && begins(path, prefix->from))
			best = prefix;
	}
	return best;
}

void etl_paths_add(struct etl_paths *paths, const char *from, const char *to)
{
	const struct etl_prefix *known = find_prefix(paths, from);
	size_t nr = strlen(from);

	if (!nr || paths->nr >= PREFIXES_MAX || (known && known->from_nr == nr))
		return;
	ARRAY_GROW(paths->v, paths->nr + 1, paths->alloc);
	paths->v[paths->nr++] = (struct etl_prefix){ xstrdup(from), xstrdup(to), nr };
}

void etl_paths_release(struct etl_paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++) {
		free(paths->v[i].from);
		free(paths->v[i].to);
	}
	free(paths->v);
	*paths = (struct etl_paths){ .v = NULL };
}

void etl_paths_map(const struct etl_paths *paths, const char *path, struct strbuf *sb)
{
	const struct etl_prefix *prefix = find_prefix(paths, path);

	if (prefix) {
		strbuf_adds(sb, prefix->to);
		path += prefix->from_nr;
	} else if (begins(path, DOS_DEVICES)) {
		path += strlen(DOS_DEVICES);
	}
	strbuf_adds(sb, path);
}
