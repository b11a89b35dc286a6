#include "util/key_hash.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "util/alloc.h"

static atomic_uint_least64_t first; /* 0: not made yet */

static uint64_t mix(uint64_t value)
{
	value *= UINT64_C(0xff51afd7ed558ccd);
	return value ^ value >> 29;
}

/* Where the system places the heap and the stack differs from run to run. */
static uint64_t make_first(void)
{
	char *heap = xmalloc(1), stack;
	uint64_t made = mix(mix((uint64_t)(uintptr_t)heap) + (uint64_t)(uintptr_t)&stack);

	free(heap);
	return made ? made : 1;
}

uint64_t key_hash_first(void)
{
	uint64_t known = atomic_load_explicit(&first, memory_order_relaxed), none = 0, made;

	if (known)
		return known;
	made = make_first();
	return atomic_compare_exchange_strong(&first, &none, made) ? made : none;
}
