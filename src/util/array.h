/*
 * Growable arrays for structs: three members named by the user, grown by one macro.
 *
 *     struct thing *v; size_t nr, alloc;
 *     ARRAY_GROW(list->v, list->nr + 1, list->alloc);
 *     list->v[list->nr++] = thing;
 */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include "util/alloc.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Make room for `need` elements in `v`, whose capacity is `alloc`. */
#define ARRAY_GROW(v, need, alloc) \
	do { \
		if ((need) > (alloc)) { \
			(alloc) = (need) > (alloc)*2 ? (need) : (alloc)*2; \
			(v) = xreallocarray((v), (alloc), sizeof(*(v))); \
		} \
	} while (0)

#endif
