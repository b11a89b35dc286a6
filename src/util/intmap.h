/*
 * A map from integers (pids, ids) to borrowed pointers.
 */
#ifndef UTIL_INTMAP_H
#define UTIL_INTMAP_H

#include <stddef.h>
#include <stdint.h>

#include "util/hash_index.h"

struct intmap_entry {
	int64_t key;
	void *value; /* never NULL */
};

struct intmap {
	struct intmap_entry *v; /* in no order */
	size_t nr, alloc;
	struct hash_index index;
};

#define INTMAP_INIT \
	{ \
		NULL, 0, 0, HASH_INDEX_INIT \
	}

void intmap_release(struct intmap *map);

/* The value of a key, or NULL. */
void *intmap_get(const struct intmap *map, int64_t key);

/* Set the value of a key, replacing a previous one; `value` must not be NULL. */
void intmap_put(struct intmap *map, int64_t key, void *value);

/* Remove a key and return its value; NULL: there was none. */
void *intmap_remove(struct intmap *map, int64_t key);

#endif
