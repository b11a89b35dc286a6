#include "model/stack_cache.h"

#include <stdlib.h>

#include "util/alloc.h"

/* 1.5 MB each: what the two cores of a small machine have in their caches. */
#define FRAMES_BITS 16
#define CHAINS_BITS 16

struct cached_frame {
	uint64_t generation, address;
	uint32_t frame;
	bool used;
};

struct cached_chain {
	struct chain_key key;
	uint32_t stack;
	bool used;
};

struct stack_cache {
	struct cached_frame frames[1 << FRAMES_BITS];
	struct cached_chain chains[1 << CHAINS_BITS];
};

struct stack_cache *stack_cache_new(void)
{
	return xcalloc(1, sizeof(struct stack_cache));
}

void stack_cache_free(struct stack_cache *cache)
{
	free(cache);
}

static size_t place_of(uint64_t generation, uint64_t address)
{
	uint64_t hash = (address ^ generation) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> (64 - FRAMES_BITS));
}

bool stack_cache_frame(const struct stack_cache *cache, uint64_t generation, uint64_t address,
		       uint32_t *frame)
{
	const struct cached_frame *at = &cache->frames[place_of(generation, address)];

	if (at->address != address || at->generation != generation || !at->used)
		return false;
	*frame = at->frame;
	return true;
}

void stack_cache_put_frame(struct stack_cache *cache, uint64_t generation, uint64_t address,
			   uint32_t frame)
{
	cache->frames[place_of(generation, address)] =
		(struct cached_frame){ generation, address, frame, true };
}

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

bool stack_cache_chain(const struct stack_cache *cache, const struct chain_key *key,
		       uint32_t *stack)
{
	const struct cached_chain *at = &cache->chains[key->a >> (64 - CHAINS_BITS)];

	if (at->key.a != key->a || at->key.b != key->b || !at->used)
		return false;
	*stack = at->stack;
	return true;
}

void stack_cache_put_chain(struct stack_cache *cache, const struct chain_key *key, uint32_t stack)
{
	cache->chains[key->a >> (64 - CHAINS_BITS)] = (struct cached_chain){ *key, stack, true };
}
