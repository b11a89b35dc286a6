#include "util/hash_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t find(const struct hash_index *index, const uint64_t *v, uint64_t key)
{
	uint32_t at;

	HASH_INDEX_FIND(at, index, key, i, v[i] == key);
	return at;
}

static void hash_index_find__empty__none(void **state)
{
	struct hash_index index = HASH_INDEX_INIT;

	(void)state;
	assert_int_equal(find(&index, NULL, 0), HASH_INDEX_NONE);
	hash_index_remove(&index, 0, 0);
	hash_index_release(&index);
}

static void hash_index_find__after_growing__each_is_found(void **state)
{
	enum { NR = 10000 };
	struct hash_index index = HASH_INDEX_INIT;
	uint64_t *v = calloc(NR, sizeof(*v));

	(void)state;
	for (uint32_t i = 0; i < NR; i++) {
		v[i] = (uint64_t)i << 20;
		assert_int_equal(find(&index, v, v[i]), HASH_INDEX_NONE);
		hash_index_add(&index, v[i], i);
	}
	assert_int_equal(index.nr, NR);
	for (uint32_t i = 0; i < NR; i++)
		assert_int_equal(find(&index, v, v[i]), i);
	hash_index_release(&index);
	assert_int_equal(find(&index, v, v[7]), HASH_INDEX_NONE);
	free(v);
}

static void hash_walk__several_of_one_key__each_once(void **state)
{
	struct hash_index index = HASH_INDEX_INIT;
	struct hash_walk walk;
	unsigned seen = 0;
	uint32_t at;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		hash_index_add(&index, 42, i);
	hash_index_add(&index, 43, 5);
	hash_index_remove(&index, 42, 3);
	walk = hash_index_walk(&index, 42);
	while ((at = hash_walk_next(&walk)) != HASH_INDEX_NONE) {
		assert_false(seen >> at & 1);
		seen |= 1u << at;
	}
	assert_int_equal(seen, 1 | 2 | 4 | 16);
	hash_index_release(&index);
}

/* Keys that come and go at random, against a plain array; a full index has long runs of slots. */
static void hash_index_remove__many__like_an_array(void **state)
{
	enum { KEYS = 700, STEPS = 100000 };
	struct hash_index index = HASH_INDEX_INIT;
	uint64_t keys[KEYS];
	bool expected[KEYS] = { false };
	uint32_t random = 1;
	size_t nr = 0;

	(void)state;
	for (uint64_t i = 0; i < KEYS; i++)
		keys[i] = i * 1001;
	for (int i = 0; i < STEPS; i++) {
		uint32_t at;

		random = random * 1664525 + 1013904223;
		at = (random >> 8) % KEYS;
		if (random >> 31) {
			hash_index_remove(&index, keys[at], at);
			nr -= expected[at];
			expected[at] = false;
		} else if (!expected[at]) {
			hash_index_add(&index, keys[at], at);
			nr++;
			expected[at] = true;
		}
		assert_int_equal(index.nr, nr);
	}
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(find(&index, keys, keys[i]), expected[i] ? i : HASH_INDEX_NONE);
	hash_index_release(&index);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* Keys whose hash is 0 by hash_index_mix() alone: a file could have as many as it likes. */
static void hash_index_add__keys_made_to_collide__do_not(void **state)
{
	enum { NR = 5000 };
	struct hash_index index = HASH_INDEX_INIT;
	unsigned met = 0;

	(void)state;
	for (uint32_t i = 1; i <= NR; i++) {
		uint64_t x = ((uint64_t)i << 32 | i) * inverse(UINT64_C(0xd6e8feb86659fd93)), key;
		struct hash_walk walk;

		key = (x ^ x >> 32) * inverse(UINT64_C(0x9e3779b97f4a7c15));
		assert_int_equal(hash_index_mix(&(struct hash_index)HASH_INDEX_INIT, key), 0);
		hash_index_add(&index, key, i);
		walk = hash_index_walk(&index, key);
		while (hash_walk_next(&walk) != HASH_INDEX_NONE)
			met++;
	}
	assert_in_range(met, NR, NR + 100);
	hash_index_release(&index);
}

static void hash_index_first__a_key_alone__is_its_position(void **state)
{
	struct hash_index index = HASH_INDEX_INIT;

	(void)state;
	hash_index_prefetch(&index, 5);
	assert_int_equal(hash_index_first(&index, 5), HASH_INDEX_NONE);
	hash_index_add(&index, 5, 3);
	hash_index_prefetch(&index, 5);
	assert_int_equal(hash_index_first(&index, 5), 3);
	hash_index_release(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_index_add__keys_made_to_collide__do_not),
		cmocka_unit_test(hash_index_find__empty__none),
		cmocka_unit_test(hash_index_find__after_growing__each_is_found),
		cmocka_unit_test(hash_index_first__a_key_alone__is_its_position),
		cmocka_unit_test(hash_walk__several_of_one_key__each_once),
		cmocka_unit_test(hash_index_remove__many__like_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
