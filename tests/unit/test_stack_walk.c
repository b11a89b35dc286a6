#include "model/stack_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/array.h"

#define STACKS 400
#define VISITS 2000

/* What the walk says is on the current stack. */
struct seen {
	uint32_t v[STACKS];
	size_t nr, entered;
};

static void enter(void *data, uint32_t stack)
{
	struct seen *seen = data;

	assert_true(seen->nr < STACKS);
	seen->v[seen->nr++] = stack;
	seen->entered++;
}

static void leave(void *data, uint32_t stack)
{
	struct seen *seen = data;

	assert_true(seen->nr > 0);
	assert_int_equal(seen->v[--seen->nr], stack);
}

static struct stack_walk walk_of(const struct stack_node *nodes, struct seen *seen)
{
	return (struct stack_walk){ .nodes = nodes, .enter = enter, .leave = leave, .data = seen };
}

/* All callers of the stack, and nothing else, are entered, in their order. */
static void check(const struct stack_node *nodes, uint32_t stack, const struct seen *seen)
{
	size_t nr = seen->nr;

	for (; stack != STACK_EMPTY; stack = nodes[stack].parent) {
		assert_true(nr > 0);
		assert_int_equal(seen->v[--nr], stack);
	}
	assert_int_equal(nr, 0);
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

static void stack_walk__any_order__enters_the_callers_of_each_stack(void **state)
{
	struct stack_node nodes[STACKS] = { { 0, 0 } };
	struct seen seen = { .nr = 0 };
	struct stack_walk walk = walk_of(nodes, &seen);
	unsigned random = 7;

	(void)state;
	/* Some long chains, with stacks that branch off anywhere. */
	for (uint32_t i = 1; i < STACKS; i++)
		nodes[i].parent = next_random(&random) % 4 ? i - 1 : next_random(&random) % i;
	for (size_t i = 0; i < VISITS; i++) {
		uint32_t stack = next_random(&random) % STACKS;

		stack_walk_to(&walk, stack);
		check(nodes, stack, &seen);
	}
	stack_walk_to(&walk, STACK_EMPTY);
	assert_int_equal(seen.nr, 0);
	stack_walk_release(&walk);
}

static void stack_walk__depth_first__enters_each_stack_once(void **state)
{
	/* 1(2(3, 4), 5), 6(7) */
	static const struct stack_node nodes[] = { { 0, 0 }, { 0, 0 }, { 1, 0 }, { 2, 0 },
						   { 2, 0 }, { 1, 0 }, { 0, 0 }, { 6, 0 } };
	struct seen seen = { .nr = 0 };
	struct stack_walk walk = walk_of(nodes, &seen);

	(void)state;
	for (uint32_t i = 1; i < ARRAY_SIZE(nodes); i++) {
		stack_walk_to(&walk, i);
		check(nodes, i, &seen);
	}
	assert_int_equal(seen.entered, ARRAY_SIZE(nodes) - 1);
	stack_walk_release(&walk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_walk__any_order__enters_the_callers_of_each_stack),
		cmocka_unit_test(stack_walk__depth_first__enters_each_stack_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
