/*
 * Size of arrays, growable arrays, binary search. A growable array is three members of a struct, with any names:
 *
 *     struct thing *v; size_t nr, alloc;
 *     ARRAY_ADD(list->v, list->nr, list->alloc, thing);
 */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <string.h>

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

/*
 * Add an element, which may be a compound literal, to the `nr` of `v`. It must not point into `v`, which may move first;
 * `v`, `nr` and `alloc` are evaluated several times.
 */
#define ARRAY_ADD(v, nr, alloc, ...) \
	do { \
		ARRAY_GROW(v, (nr) + 1, alloc); \
		(v)[(nr)++] = __VA_ARGS__; \
	} while (0)

/* Make room in an array without spare capacity (`nr` is the capacity); new elements are zeroed. */
#define ARRAY_GROW_ZERO(v, need, nr) \
	do { \
		size_t array_grow_had = (nr); \
		ARRAY_GROW(v, need, nr); \
		if ((nr) > array_grow_had) \
			memset(&(v)[array_grow_had], 0, ((nr)-array_grow_had) * sizeof(*(v))); \
	} while (0)

/* Raise `nr` to at least `need`: new elements are zeroed, spare capacity is not. */
#define ARRAY_REACH(v, need, nr, alloc) \
	do { \
		if ((need) > (nr)) { \
			ARRAY_GROW(v, need, alloc); \
			memset(&(v)[nr], 0, ((need) - (nr)) * sizeof(*(v))); \
			(nr) = (need); \
		} \
	} while (0)

/*
 * Binary search in `nr` sorted elements: set `count` (a size_t) to the number of elements for which `before` is true, an
 * expression of the index `i`. It must be true for the first elements and false for all others.
 */
#define ARRAY_SEARCH(count, nr, i, before) \
	do { \
		size_t array_search_end = (nr); \
		(count) = 0; \
		while ((count) < array_search_end) { \
			size_t i = (count) + (array_search_end - (count)) / 2; \
			if (before) \
				(count) = i + 1; \
			else \
				array_search_end = i; \
		} \
	} while (0)

#endif
