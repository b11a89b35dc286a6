/*
 * Memory that lives as long as its pool, and strings kept once in it.
 */
#ifndef SYMBOL_POOL_H
#define SYMBOL_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
	struct pool_chunk *chunks;
	const char **strings; /* open addressing; a power of two */
	size_t strings_nr, strings_alloc;
};

#define POOL_INIT \
	{ \
		NULL, NULL, 0, 0 \
	}

void pool_release(struct pool *pool);

/* Aligned for pointers and 64-bit numbers. */
void *pool_alloc(struct pool *pool, size_t size);

/* Equal strings are one pointer. NULL stays NULL. */
const char *pool_string(struct pool *pool, const char *s);

#endif
