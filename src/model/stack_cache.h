/*
 * What was worked out for stacks that came before. All of a fixed size, shared by all processes: entries of
 * processes that ended, or of mappings that changed, are simply not asked for again and written over.
 *
 * A frame is a function of the address and of the state of the mappings, which the generation names; see
 * address_space.h.
 */
#ifndef MODEL_STACK_CACHE_H
#define MODEL_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a whole call chain is known by: 128 bits of hash over its addresses, lengths and the generations. Among
 * 10^9 distinct chains two are taken for one with a chance of 10^-20, so that the chains need not be kept.
 */
struct chain_key {
	uint64_t a, b;
};

struct stack_cache;

struct stack_cache *stack_cache_new(void);
void stack_cache_free(struct stack_cache *cache);

/* False: not there. */
bool stack_cache_frame(const struct stack_cache *cache, uint64_t generation, uint64_t address,
		       uint32_t *frame);
void stack_cache_put_frame(struct stack_cache *cache, uint64_t generation, uint64_t address,
			   uint32_t frame);

/* To be started with {0}. */
void chain_key_add(struct chain_key *key, const uint64_t *words, uint32_t nr);

bool stack_cache_chain(const struct stack_cache *cache, const struct chain_key *key,
		       uint32_t *stack);
void stack_cache_put_chain(struct stack_cache *cache, const struct chain_key *key, uint32_t stack);

#endif
