/*
 * A map from whole numbers (pids, ids) to pointers, which it borrows.
 */
#ifndef UTIL_INTMAP_H
#define UTIL_INTMAP_H

#include <stddef.h>
#include <stdint.h>

struct intmap_entry {
	int64_t key;
	void *value; /* NULL: free */
};

struct intmap {
	struct intmap_entry *v;
	size_t nr, alloc; /* alloc: 0 or a power of two */
};

#define INTMAP_INIT \
	{ \
		NULL, 0, 0 \
	}

void intmap_release(struct intmap *map);

/* NULL where there is none. */
void *intmap_get(const struct intmap *map, int64_t key);

/* `value` is not NULL; one that was there is replaced. */
void intmap_put(struct intmap *map, int64_t key, void *value);

/* Its value, which the map has no longer; NULL where there is none. */
void *intmap_remove(struct intmap *map, int64_t key);

#endif
