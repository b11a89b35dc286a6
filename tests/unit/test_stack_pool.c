#include "trace/perf/stack_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static const struct {
	uint32_t kernel_nr, user_nr;
	uint64_t mask;
	size_t bytes_nr;
	bool copy;
} shapes[] = {
	{ 0, 0, 0, 0, false },
	{ 3, 0, 0, 0, false },
	{ 0, 5, 0, 0, false },
	{ 2, 127, 0, 0, false },
	{ 1, 0, 0xff0fff, 1, true },
	{ 0, 2, 0, 7, true },
	{ 0, 0, UINT64_MAX, 65528, true },
	{ 0, 0, 1, 0, true },
};

/* Each word and byte depends on its position and the stack's `seed`. */
static void fill(struct trace_stack *stack, struct trace_stack_copy *copy, size_t shape,
		 uint64_t *words, unsigned char *bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < 300; i++)
		words[i] = seed << 32 | i;
	for (size_t i = 0; i < shapes[shape].bytes_nr; i++)
		bytes[i] = (unsigned char)(i * 7 + seed);
	*copy = (struct trace_stack_copy){
		.id = seed,
		.values = words + 200,
		.mask = shapes[shape].mask,
		.bytes = bytes,
		.bytes_nr = shapes[shape].bytes_nr,
		.bits32 = seed & 1,
	};
	*stack = (struct trace_stack){
		.kernel = words,
		.user = words + 50,
		.kernel_nr = shapes[shape].kernel_nr,
		.user_nr = shapes[shape].user_nr,
		.copy = shapes[shape].copy ? copy : NULL,
	};
}

static void expect_kept(const struct kept_stack *kept, size_t shape, uint64_t seed)
{
	const struct trace_stack *stack = &kept->stack;
	size_t values = 0;

	assert_int_equal(stack->kernel_nr, shapes[shape].kernel_nr);
	assert_int_equal(stack->user_nr, shapes[shape].user_nr);
	for (uint32_t i = 0; i < stack->kernel_nr; i++)
		assert_int_equal(stack->kernel[i], seed << 32 | i);
	for (uint32_t i = 0; i < stack->user_nr; i++)
		assert_int_equal(stack->user[i], seed << 32 | (50 + i));
	assert_int_equal(stack->copy != NULL, shapes[shape].copy);
	if (!stack->copy)
		return;
	assert_int_equal(stack->copy->id, seed);
	assert_int_equal(stack->copy->mask, shapes[shape].mask);
	assert_int_equal(stack->copy->bits32, seed & 1);
	for (int bit = 0; bit < 64; bit++) {
		if (shapes[shape].mask >> bit & 1) {
			assert_int_equal(stack->copy->values[values], seed << 32 | (200 + values));
			values++;
		}
	}
	assert_int_equal(stack->copy->bytes_nr, shapes[shape].bytes_nr);
	for (size_t i = 0; i < stack->copy->bytes_nr; i++)
		assert_int_equal(stack->copy->bytes[i], (unsigned char)(i * 7 + seed));
}

/* Three rounds, so that what was kept before is used again for other shapes. */
static void stack_pool_keep__shapes__by_value(void **state)
{
	struct stack_pool pool = STACK_POOL_INIT;
	struct kept_stack *kept[3 * ARRAY_SIZE(shapes)];
	struct trace_stack_copy copy;
	struct trace_stack stack;
	uint64_t words[300];
	unsigned char *bytes = xcalloc(1, 65536);

	(void)state;
	for (uint64_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
			fill(&stack, &copy, (i + round) % ARRAY_SIZE(shapes), words, bytes, i);
			kept[i] = stack_pool_keep(&pool, &stack);
			memset(words, 0xee, sizeof(words));
			memset(bytes, 0xee, 65536);
			memset(&copy, 0xee, sizeof(copy));
		}
		for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
			expect_kept(kept[i], (i + round) % ARRAY_SIZE(shapes), i);
			stack_pool_drop(&pool, kept[i]);
		}
	}
	free(bytes);
	stack_pool_release(&pool);
}

static void stack_pool_recycle__lent__may_be_used_again(void **state)
{
	struct stack_pool pool = STACK_POOL_INIT;
	const struct trace_stack empty = { 0 };
	struct kept_stack *first, *second;

	(void)state;
	first = stack_pool_keep(&pool, &empty);
	stack_pool_lend(&pool, first);
	second = stack_pool_keep(&pool, &empty);
	assert_ptr_not_equal(first, second);
	stack_pool_recycle(&pool);
	assert_ptr_equal(stack_pool_keep(&pool, &empty), first);
	stack_pool_drop(&pool, first);
	stack_pool_drop(&pool, second);
	stack_pool_drop(&pool, NULL);
	stack_pool_lend(&pool, stack_pool_keep(&pool, &empty));
	stack_pool_release(&pool);
	assert_null(pool.lent);
	assert_null(pool.unused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_pool_keep__shapes__by_value),
		cmocka_unit_test(stack_pool_recycle__lent__may_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
