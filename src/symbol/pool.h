/*
 * A memory pool, which is freed as a whole, with interned strings.
 */
#ifndef SYMBOL_POOL_H
#define SYMBOL_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "util/hash_index.h"

struct pool {
	struct pool_chunk *chunks;
	const char **strings;
	size_t strings_nr, strings_alloc;
	struct hash_index index; /* of `strings` */
};

void pool_release(struct pool *pool);

/* Aligned for pointers and 64-bit numbers. */
void *pool_alloc(struct pool *pool, size_t size);

/* Intern a string: equal strings have the same pointer. NULL stays NULL. */
const char *pool_string(struct pool *pool, const char *s);

#endif
