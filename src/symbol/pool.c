#include "symbol/pool.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

#define CHUNK_BYTES (256 * 1024)

struct pool_chunk {
	struct pool_chunk *next;
	size_t used, size;
	uint64_t bytes[];
};

void pool_release(struct pool *pool)
{
	while (pool->chunks) {
		struct pool_chunk *next = pool->chunks->next;

		free(pool->chunks);
		pool->chunks = next;
	}
	free(pool->strings);
	*pool = (struct pool)POOL_INIT;
}

static void add_chunk(struct pool *pool, size_t size)
{
	struct pool_chunk *chunk = xmalloc(sizeof(*chunk) + size);

	*chunk = (struct pool_chunk){ pool->chunks, 0, size };
	pool->chunks = chunk;
}

void *pool_alloc(struct pool *pool, size_t size)
{
	struct pool_chunk *chunk = pool->chunks;
	char *at;

	size = (size + 7) / 8 * 8;
	if (!chunk || chunk->size - chunk->used < size) {
		add_chunk(pool, size > CHUNK_BYTES ? size : CHUNK_BYTES);
		chunk = pool->chunks;
	}
	at = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return at;
}

static uint64_t hash_string(const char *s, size_t len)
{
	uint64_t hash = len * UINT64_C(0x9e3779b97f4a7c15), word;

	for (; len >= sizeof(word); len -= sizeof(word), s += sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, s, len);
	hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 32;
}

/* The string, or the free place where it would go. */
static const char **probe(const struct pool *pool, const char *s, size_t len)
{
	size_t mask = pool->strings_alloc - 1, i = (size_t)hash_string(s, len) & mask;

	while (pool->strings[i] && strcmp(pool->strings[i], s))
		i = (i + 1) & mask;
	return &pool->strings[i];
}

static void grow_strings(struct pool *pool)
{
	const char **old = pool->strings;
	size_t nr = pool->strings_alloc;

	pool->strings_alloc = nr ? nr * 2 : 1024;
	pool->strings = xcalloc(pool->strings_alloc, sizeof(*pool->strings));
	for (size_t i = 0; i < nr; i++) {
		if (old[i])
			*probe(pool, old[i], strlen(old[i])) = old[i];
	}
	free(old);
}

const char *pool_string(struct pool *pool, const char *s)
{
	size_t len;
	const char **place;
	char *copy;

	if (!s)
		return NULL;
	if (pool->strings_nr * 2 >= pool->strings_alloc)
		grow_strings(pool);
	len = strlen(s);
	place = probe(pool, s, len);
	if (!*place) {
		copy = pool_alloc(pool, len + 1);
		memcpy(copy, s, len + 1);
		*place = copy;
		pool->strings_nr++;
	}
	return *place;
}
