#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/stack.h"
#include "util/alloc.h"

static int set_up(void **state)
{
	struct stack_table *table = xmalloc(sizeof(*table));

	stack_table_init(table);
	*state = table;
	return 0;
}

static int tear_down(void **state)
{
	stack_table_release(*state);
	free(*state);
	return 0;
}

static void stack_table_frame__again__is_the_same(void **state)
{
	struct stack_table *table = *state;
	uint32_t frame = stack_table_frame(table, 1, 0x1000);

	assert_int_equal(frame, FRAME_FIRST);
	assert_int_equal(stack_table_frame(table, 1, 0x1000), frame);
	assert_int_not_equal(stack_table_frame(table, 2, 0x1000), frame);
	assert_int_not_equal(stack_table_frame(table, 1, 0x1001), frame);
	assert_int_equal(table->frames_nr, FRAME_FIRST + 3);
	assert_int_equal(table->frames[frame].module, 1);
	assert_int_equal(table->frames[frame].offset, 0x1000);
}

static void stack_table_frame__of_no_module__is_the_unknown_one(void **state)
{
	struct stack_table *table = *state;

	for (uint64_t offset = 0; offset < 5; offset++)
		assert_int_equal(stack_table_frame(table, 0, offset), FRAME_UNKNOWN);
	assert_int_equal(table->frames_nr, FRAME_FIRST);
	assert_int_equal(table->frames[FRAME_UNKNOWN].module, 0);
}

static void stack_table_push__shared_callers__are_kept_once(void **state)
{
	struct stack_table *table = *state;
	uint32_t start = stack_table_push(table, STACK_EMPTY, 10);
	uint32_t a = stack_table_push(table, start, 11);
	uint32_t b = stack_table_push(table, start, 12);

	assert_int_equal(stack_table_push(table, STACK_EMPTY, 10), start);
	assert_int_equal(stack_table_push(table, start, 11), a);
	assert_int_not_equal(a, b);
	assert_int_not_equal(stack_table_push(table, a, 12), b);
	assert_int_equal(table->nodes[b].parent, start);
	assert_int_equal(table->nodes[b].frame, 12);
	assert_int_equal(table->nodes_nr, 1 + 4);
}

/* Truncated stacks have frame 0 on stack 0: nothing may take it for a free place. */
static void stack_table_push__special_frames_as_roots__are_stacks(void **state)
{
	struct stack_table *table = *state;
	uint32_t truncated = stack_table_push(table, STACK_EMPTY, FRAME_TRUNCATED);
	uint32_t not_sampled = stack_table_push(table, STACK_EMPTY, FRAME_NOT_SAMPLED);

	assert_int_not_equal(truncated, STACK_EMPTY);
	assert_int_not_equal(not_sampled, STACK_EMPTY);
	assert_int_not_equal(not_sampled, truncated);
	assert_int_equal(stack_table_push(table, STACK_EMPTY, FRAME_TRUNCATED), truncated);
}

static void stack_table_push__many__ids_stay(void **state)
{
	enum { NR = 100000 };
	struct stack_table *table = *state;
	uint32_t *frames = xcalloc(NR, sizeof(*frames)), *stacks = xcalloc(NR, sizeof(*stacks));

	for (uint32_t i = 0; i < NR; i++) {
		frames[i] = stack_table_frame(table, 1 + i % 7, (uint64_t)i << (i % 40));
		stacks[i] = stack_table_push(table, i ? stacks[i / 2] : STACK_EMPTY, frames[i]);
	}
	for (uint32_t i = 0; i < NR; i++) {
		uint32_t parent = i ? stacks[i / 2] : STACK_EMPTY;

		assert_int_equal(stack_table_frame(table, 1 + i % 7, (uint64_t)i << (i % 40)),
				 frames[i]);
		assert_int_equal(stack_table_push(table, parent, frames[i]), stacks[i]);
		assert_true(table->nodes[stacks[i]].parent < stacks[i]);
	}
	free(frames);
	free(stacks);
}

/* More than a batch, by halves that are there and new ones, with the index growing in between. */
static void stack_table_frames__equal_one_by_one(void **state)
{
	enum { DEPTH = 150, STACKS = 300 };
	struct stack_table *table = *state, other;
	struct frame frames[DEPTH];
	uint32_t ids[DEPTH];

	stack_table_init(&other);
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t a, b = STACK_EMPTY;
		size_t nr = i % (DEPTH + 1);

		for (uint32_t k = 0; k < DEPTH; k++)
			frames[k] = (struct frame){ k % 5, k < i % 90 ? k : i * 1000 + k };
		stack_table_frames(table, frames, nr, ids);
		a = stack_table_push_all(table, STACK_EMPTY, ids, nr, NULL);
		for (size_t k = 0; k < nr; k++)
			b = stack_table_push(
				&other, b,
				stack_table_frame(&other, frames[k].module, frames[k].offset));
		assert_int_equal(a, b);
		stack_table_frames(&other, frames, nr, ids);
		assert_int_equal(stack_table_push_all(&other, STACK_EMPTY, ids, nr, NULL), a);
	}
	assert_int_equal(table->frames_nr, other.frames_nr);
	assert_int_equal(table->nodes_nr, other.nodes_nr);
	assert_memory_equal(table->nodes, other.nodes, other.nodes_nr * sizeof(*other.nodes));
	stack_table_release(&other);
}

static void stack_table_push_all__equals_one_by_one(void **state)
{
	enum { NR = 100 };
	struct stack_table *table = *state;
	uint32_t frames[NR], one_by_one[NR], stacks[NR], stack = STACK_EMPTY;

	for (uint32_t i = 0; i < NR; i++) {
		frames[i] = stack_table_frame(table, 1, i % 7);
		one_by_one[i] = stack = stack_table_push(table, stack, frames[i]);
	}
	assert_int_equal(stack_table_push_all(table, STACK_EMPTY, frames, NR, stacks), stack);
	assert_memory_equal(stacks, one_by_one, sizeof(stacks));
	assert_int_equal(stack_table_push_all(table, stack, frames, 0, NULL), stack);
	assert_int_equal(table->nodes_nr, NR + 1);
	stack = stack_table_push_all(table, stack, frames, NR, NULL);
	assert_int_equal(table->nodes_nr, 2 * NR + 1);
	for (uint32_t i = NR; i-- > 0; stack = table->nodes[stack].parent)
		assert_int_equal(table->nodes[stack].frame, frames[i]);
}

static void stack_table_rest__what_comes_nevertheless__is_found(void **state)
{
	const struct frame frame = { .module = 1, .offset = 2 };
	struct stack_table *table = *state;
	uint32_t id = stack_table_frame(table, 1, 2);
	uint32_t stack = stack_table_push(table, STACK_EMPTY, id), again;

	stack_table_trim(table);
	stack_table_trim(table);
	assert_int_equal(stack_table_frame(table, 1, 2), id);
	stack_table_trim(table);
	assert_int_equal(stack_table_push(table, STACK_EMPTY, id), stack);
	stack_table_trim(table);
	stack_table_frames(table, &frame, 1, &again);
	assert_int_equal(again, id);
	stack_table_trim(table);
	assert_int_equal(stack_table_push_all(table, STACK_EMPTY, &id, 1, NULL), stack);
	assert_int_equal(table->nodes_nr, 2);
}

/* The root of all calls so many that some have no link. */
static void stack_table_push__more_than_are_linked__are_found(void **state)
{
	enum { NR = 3000 };
	struct stack_table *table = *state;
	uint32_t stacks[NR];

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < NR; i++) {
			uint32_t parent = i % 3 ? stacks[i / 3] : STACK_EMPTY;
			uint32_t stack = stack_table_push(table, parent, i);

			if (!round)
				stacks[i] = stack;
			assert_int_equal(stack, stacks[i]);
			assert_int_equal(table->nodes[stack].parent, parent);
		}
		assert_int_equal(table->nodes_nr, 1 + NR);
		stack_table_trim(table);
	}
}

/* The frames of a stack, the innermost one first. */
static void describe_stack(const struct stack_table *table, uint32_t stack, uint64_t *offsets,
			   size_t *nr)
{
	*nr = 0;
	for (; stack != STACK_EMPTY; stack = table->nodes[stack].parent) {
		const struct frame *frame = &table->frames[table->nodes[stack].frame];

		offsets[(*nr)++] = frame->offset << 8 | frame->module;
	}
}

/* Stacks of random frames, some of which are kept. */
static void stack_table_keep__some__are_the_same_stacks(void **state)
{
	enum { NR = 2000, DEEP = 64 };
	struct stack_table *table = *state;
	uint32_t numbers[NR + 1] = { 0 }, seed = 1;
	uint64_t before[DEEP * 8], after[DEEP * 8];
	struct stack_table old;
	size_t kept = 0, before_nr, after_nr;

	for (uint32_t i = 1; i <= NR; i++) {
		seed = seed * 1103515245 + 12345;
		stack_table_push(table, seed >> 16 & 1 ? i - 1 : (seed >> 17) % i,
				 stack_table_frame(table, 1 + i % 5, i));
	}
	assert_int_equal(table->nodes_nr, NR + 1);
	old = *table;
	old.nodes = xmalloc(old.nodes_nr * sizeof(*old.nodes));
	old.frames = xmalloc(old.frames_nr * sizeof(*old.frames));
	memcpy(old.nodes, table->nodes, old.nodes_nr * sizeof(*old.nodes));
	memcpy(old.frames, table->frames, old.frames_nr * sizeof(*old.frames));
	for (uint32_t i = 1; i <= NR; i++)
		numbers[i] = i % 20 == 3;
	assert_true(stack_table_keep(table, numbers));
	for (uint32_t i = 1; i <= NR; i++) {
		if (!numbers[i])
			continue;
		kept++;
		describe_stack(&old, i, before, &before_nr);
		describe_stack(table, numbers[i], after, &after_nr);
		assert_int_equal(before_nr, after_nr);
		assert_memory_equal(before, after, before_nr * sizeof(*before));
	}
	/* Those that are kept, and what they continue, and no other frames. */
	assert_int_equal(table->nodes_nr, kept + 1);
	assert_in_range(kept, NR / 20, NR - 1);
	assert_int_equal(table->frames_nr, FRAME_FIRST + kept);
	assert_int_equal(
		stack_table_push(table, table->nodes[kept].parent, table->nodes[kept].frame), kept);
	assert_int_equal(stack_table_push(table, (uint32_t)kept, 0), kept + 1);
	stack_table_forget_stacks(table);
	assert_int_equal(table->frames_nr, FRAME_FIRST + kept);
	assert_int_equal(stack_table_push(table, STACK_EMPTY, FRAME_FIRST), STACK_EMPTY + 1);
	free(old.nodes);
	free(old.frames);
}

/* The stack `k` of many: some frames, few of which differ, so that stacks share callers. */
static uint32_t push_example(struct stack_table *table, uint32_t k)
{
	uint32_t stack = STACK_EMPTY, seed = k;

	for (uint32_t i = 0; i <= k % 10; i++) {
		seed = seed * 1103515245 + 12345;
		stack = stack_table_push(
			table, stack,
			stack_table_frame(table, 1 + (seed >> 16) % 3, (seed >> 20) % 4));
	}
	return stack;
}

/* A table that has seen other stacks too, in another order, is the same once these are gone. */
static void stack_table_keep__seen_in_any_order__are_numbered_alike(void **state)
{
	enum { NR = 3000, EACH = 3 };
	struct stack_table *table = *state, few;
	uint32_t *numbers[2], of_table[NR] = { 0 }, of_few[NR] = { 0 };

	stack_table_init(&few);
	for (uint32_t k = 0; k < NR; k++)
		of_table[k] = push_example(table, k);
	for (uint32_t k = NR; k--;)
		if (k % EACH == 0)
			of_few[k] = push_example(&few, k);
	numbers[0] = xcalloc(table->nodes_nr, sizeof(*numbers[0]));
	numbers[1] = xcalloc(few.nodes_nr, sizeof(*numbers[1]));
	for (uint32_t k = 0; k < NR; k += EACH)
		numbers[0][of_table[k]] = numbers[1][of_few[k]] = 1;
	assert_in_range(few.nodes_nr, 1000, table->nodes_nr - 1000);
	assert_true(stack_table_keep(table, numbers[0]));
	assert_true(stack_table_keep(&few, numbers[1]));
	for (uint32_t k = 0; k < NR; k += EACH)
		assert_int_equal(numbers[0][of_table[k]], numbers[1][of_few[k]]);
	assert_int_equal(table->nodes_nr, few.nodes_nr);
	assert_memory_equal(table->nodes, few.nodes, few.nodes_nr * sizeof(*few.nodes));
	assert_int_equal(table->frames_nr, few.frames_nr);
	for (size_t i = 0; i < few.frames_nr; i++) {
		assert_int_equal(table->frames[i].module, few.frames[i].module);
		assert_int_equal(table->frames[i].offset, few.frames[i].offset);
	}
	free(numbers[0]);
	free(numbers[1]);
	stack_table_release(&few);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void stack_table_keep__all__orders_them_once(void **state)
{
	enum { NR = 3000 };
	struct stack_table *table = *state;
	struct stack_node *nodes;
	struct frame *frames;
	uint32_t *numbers;
	size_t nr, frames_nr;

	for (uint32_t k = 0; k < NR; k++)
		push_example(table, k);
	nr = table->nodes_nr;
	frames_nr = table->frames_nr;
	numbers = xcalloc(nr, sizeof(*numbers));
	for (size_t i = 0; i < nr; i++)
		numbers[i] = 1;
	assert_true(stack_table_keep(table, numbers));
	assert_int_equal(table->nodes_nr, nr);
	assert_int_equal(table->frames_nr, frames_nr);
	nodes = xmalloc(nr * sizeof(*nodes));
	frames = xmalloc(frames_nr * sizeof(*frames));
	memcpy(nodes, table->nodes, nr * sizeof(*nodes));
	memcpy(frames, table->frames, frames_nr * sizeof(*frames));
	/* Callers need no mark of their own. */
	memset(numbers, 0, nr * sizeof(*numbers));
	for (size_t i = STACK_EMPTY + 1; i < nr; i++)
		numbers[i] = i + 1 == nr || nodes[i + 1].parent != i;
	assert_false(stack_table_keep(table, numbers));
	assert_int_equal(table->nodes_nr, nr);
	assert_memory_equal(table->nodes, nodes, nr * sizeof(*nodes));
	assert_memory_equal(table->frames, frames, frames_nr * sizeof(*frames));
	assert_int_equal(stack_table_push(table, STACK_EMPTY, nodes[1].frame), 1);
	free(nodes);
	free(frames);
	free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stack_table_frame__again__is_the_same),
		TEST(stack_table_frame__of_no_module__is_the_unknown_one),
		TEST(stack_table_push__shared_callers__are_kept_once),
		TEST(stack_table_push__special_frames_as_roots__are_stacks),
		TEST(stack_table_push__many__ids_stay),
		TEST(stack_table_frames__equal_one_by_one),
		TEST(stack_table_push_all__equals_one_by_one),
		TEST(stack_table_keep__some__are_the_same_stacks),
		TEST(stack_table_keep__seen_in_any_order__are_numbered_alike),
		TEST(stack_table_keep__all__orders_them_once),
		TEST(stack_table_push__more_than_are_linked__are_found),
		TEST(stack_table_rest__what_comes_nevertheless__is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
