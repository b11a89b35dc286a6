#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/stack_cache.h"
#include "util/alloc.h"
#include "util/array.h"

/* The words of a chain in up to three parts; the lengths say where each ends. */
static struct chain_key key_of(const uint64_t *words, uint32_t a, uint32_t b, uint32_t c)
{
	struct chain_key key = { 0, 0 };

	chain_key_add(&key, words, a);
	chain_key_add(&key, words + a, b);
	chain_key_add(&key, words + a + b, c);
	return key;
}

static void chain_key_add__each_word_and_length__changes_both_halves(void **state)
{
	static const uint64_t words[] = { 1, 2, 3, 4, 5 }, zeros[5];
	static const struct {
		const uint64_t *words;
		uint32_t a, b, c;
	} cases[] = {
		{ words, 0, 0, 0 }, { words, 1, 0, 0 }, { words, 0, 1, 0 }, { words, 0, 0, 1 },
		{ words, 2, 0, 0 }, { words, 1, 1, 0 }, { words, 0, 1, 1 }, { words, 2, 2, 1 },
		{ words, 2, 1, 2 }, { words, 5, 0, 0 }, { zeros, 1, 0, 0 }, { zeros, 2, 0, 0 },
		{ zeros, 1, 1, 0 }, { zeros, 0, 2, 0 }, { zeros, 5, 0, 0 }, { words + 1, 1, 0, 0 },
	};
	struct chain_key keys[ARRAY_SIZE(cases)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		keys[i] = key_of(cases[i].words, cases[i].a, cases[i].b, cases[i].c);
		for (size_t k = 0; k < i; k++)
			assert_true(keys[i].a != keys[k].a && keys[i].b != keys[k].b);
	}
}

static int compare_words(const void *a, const void *b)
{
	uint64_t wa = *(const uint64_t *)a, wb = *(const uint64_t *)b;

	return (wa > wb) - (wa < wb);
}

/* Chains as alike as chains are: each half of the key alone tells all of them apart. */
static void chain_key_add__chains_that_differ_little__differ(void **state)
{
	enum { WORDS = 9, STEPS = 300, NR = WORDS * STEPS * 2 };
	uint64_t *halves[2] = { xcalloc(NR, sizeof(uint64_t)), xcalloc(NR, sizeof(uint64_t)) };
	size_t nr = 0;

	(void)state;
	for (uint64_t i = 0; i < WORDS; i++)
		for (uint64_t step = 1; step <= STEPS; step++)
			for (int high = 0; high < 2; high++) {
				uint64_t words[WORDS];
				struct chain_key key;

				for (uint64_t k = 0; k < WORDS; k++)
					words[k] = 0x7f0000001000 + k * 16;
				words[i] += (high ? step << 36 : step) * 4;
				key = key_of(words, WORDS, 0, 0);
				halves[0][nr] = key.a;
				halves[1][nr++] = key.b;
			}
	for (int half = 0; half < 2; half++) {
		qsort(halves[half], nr, sizeof(uint64_t), compare_words);
		for (size_t i = 0; i + 1 < nr; i++)
			assert_true(halves[half][i] != halves[half][i + 1]);
		free(halves[half]);
	}
}

static void stack_cache_get__half_a_key__is_not_enough(void **state)
{
	struct stack_cache *cache = stack_cache_new();
	const struct chain_key key = { 10, 20 }, other = { 10, 21 }, zero = { 0, 0 };
	uint32_t stack = 99;

	(void)state;
	assert_false(stack_cache_get(cache, &zero, &stack));
	stack_cache_put(cache, &key, 3);
	assert_true(stack_cache_get(cache, &key, &stack));
	assert_int_equal(stack, 3);
	assert_false(stack_cache_get(cache, &other, &stack));
	stack_cache_put(cache, &other, 4);
	assert_true(stack_cache_get(cache, &other, &stack));
	assert_int_equal(stack, 4);
	assert_false(stack_cache_get(cache, &key, &stack));
	stack_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_key_add__each_word_and_length__changes_both_halves),
		cmocka_unit_test(chain_key_add__chains_that_differ_little__differ),
		cmocka_unit_test(stack_cache_get__half_a_key__is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
