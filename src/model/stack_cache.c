#include "model/stack_cache.h"

#include <stdlib.h>

#include "util/alloc.h"

/* 1.5 MB: in reach of a processor's cache. */
#define BITS 16

struct cached_chain {
	struct chain_key key;
	uint32_t stack;
	bool used;
};

struct stack_cache {
	struct cached_chain chains[1 << BITS];
};

static uint64_t mix(uint64_t x, uint64_t word, uint64_t factor)
{
	x = (x ^ word) * factor;
	return x ^ x >> 32;
}

/* Unlike mix() in more than its factor: words that cancel out in one may not do so in the other. */
static uint64_t stir(uint64_t x, uint64_t word, uint64_t factor)
{
	x = (x + word) * factor;
	return x ^ x >> 29;
}

/* Two words at a time, as a step waits for the one before it in its own row alone. */
void chain_key_add(struct chain_key *key, const uint64_t *words, uint32_t nr)
{
	/* Never 0, at which both stand still. */
	uint64_t part = UINT64_C(0x100000000) + nr;
	uint64_t a = mix(key->a, part, UINT64_C(0x9e3779b97f4a7c15));
	uint64_t b = stir(key->b, part, UINT64_C(0xc2b2ae3d27d4eb4f));
	uint64_t c = mix(a, part, UINT64_C(0xff51afd7ed558ccd));
	uint64_t d = stir(b, part, UINT64_C(0xd6e8feb86659fd93));
	uint32_t i = 0;

	for (; i + 2 <= nr; i += 2) {
		a = mix(a, words[i], UINT64_C(0xff51afd7ed558ccd));
		b = stir(b, words[i], UINT64_C(0xd6e8feb86659fd93));
		c = mix(c, words[i + 1], UINT64_C(0xc4ceb9fe1a85ec53));
		d = stir(d, words[i + 1], UINT64_C(0x9fb21c651e98df25));
	}
	if (i < nr) {
		a = mix(a, words[i], UINT64_C(0xff51afd7ed558ccd));
		b = stir(b, words[i], UINT64_C(0xd6e8feb86659fd93));
	}
	key->a = mix(a, c, UINT64_C(0x9fb21c651e98df25));
	key->b = stir(b, d, UINT64_C(0xc4ceb9fe1a85ec53));
}

struct stack_cache *stack_cache_new(void)
{
	return xcalloc(1, sizeof(struct stack_cache));
}

void stack_cache_free(struct stack_cache *cache)
{
	free(cache);
}

bool stack_cache_get(const struct stack_cache *cache, const struct chain_key *key, uint32_t *stack)
{
	const struct cached_chain *at = &cache->chains[key->a >> (64 - BITS)];

	if (at->key.a != key->a || at->key.b != key->b || !at->used)
		return false;
	*stack = at->stack;
	return true;
}

void stack_cache_put(struct stack_cache *cache, const struct chain_key *key, uint32_t stack)
{
	cache->chains[key->a >> (64 - BITS)] = (struct cached_chain){ *key, stack, true };
}
