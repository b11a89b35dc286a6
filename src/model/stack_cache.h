/*
 * Stacks of call chains that came before. Of a fixed size, shared by all processes: entries of processes that
 * ended, or of mappings that changed, are simply not asked for again and written over.
 */
#ifndef MODEL_STACK_CACHE_H
#define MODEL_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a call chain is known by: 128 bits of hash over its addresses, lengths and the generations of what was
 * mapped (address_space.h). Among 10^9 distinct chains two are taken for one with a chance of 10^-20, so that the
 * chains need not be kept.
 */
struct chain_key {
	uint64_t a, b;
};

/* Words go on with the key, which starts as {0}, as one part: those of another length are another key. */
void chain_key_add(struct chain_key *key, const uint64_t *words, uint32_t nr);

struct stack_cache;

struct stack_cache *stack_cache_new(void);
void stack_cache_free(struct stack_cache *cache);

/* False: not there. */
bool stack_cache_get(const struct stack_cache *cache, const struct chain_key *key, uint32_t *stack);
void stack_cache_put(struct stack_cache *cache, const struct chain_key *key, uint32_t stack);

#endif
