#include "symbol/pool.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

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
	hash_index_release(&pool->index);
	*pool = (struct pool){ .chunks = NULL };
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

const char *pool_string(struct pool *pool, const char *s)
{
	uint64_t hash;
	uint32_t at;
	size_t len;
	char *copy;

	if (!s)
		return NULL;
	len = strlen(s);
	hash = hash_string(s, len);
	HASH_INDEX_FIND(at, &pool->index, hash, i, !strcmp(pool->strings[i], s));
	if (at != HASH_INDEX_NONE)
		return pool->strings[at];
	hash_index_add(&pool->index, hash, (uint32_t)pool->strings_nr);
	copy = pool_alloc(pool, len + 1);
	memcpy(copy, s, len + 1);
	ARRAY_GROW(pool->strings, pool->strings_nr + 1, pool->strings_alloc);
	return pool->strings[pool->strings_nr++] = copy;
}
