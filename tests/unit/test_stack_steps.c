#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/stack_steps.h"

struct made {
	struct stack_table table;
	struct stack_maker *maker, *paths;
	struct stack_steps steps;
	size_t at, path_at;
};

static void setup(struct made *made)
{
	*made = (struct made){ .maker = stack_maker_new(), .paths = stack_maker_new() };
	stack_table_init(&made->table);
}

static void release(struct made *made)
{
	stack_steps_release(&made->steps);
	stack_maker_free(made->maker);
	stack_maker_free(made->paths);
	stack_table_release(&made->table);
}

/* Frames are numbered, from `first` on. */
static void add(struct made *made, struct stack_head head, uint32_t first)
{
	size_t begin = stack_steps_begin(&made->steps);
	uint32_t nr = head.nr + head.more, *room = stack_steps_room(&made->steps, nr);

	for (uint32_t i = 0; i < nr; i++)
		room[i] = FRAME_FIRST + first + i;
	made->steps.nr += nr;
	stack_steps_end(&made->steps, begin, &head);
}

/* The next stack; its path is the same. */
static uint32_t make(struct made *made)
{
	uint32_t stack = stack_maker_next(made->maker, &made->table, &made->steps, &made->at);
	const struct stack_path path = stack_maker_path(made->paths, &made->steps, &made->path_at);

	assert_int_equal(made->path_at, made->at);
	assert_int_equal(
		stack_table_push_all(&made->table, STACK_EMPTY, path.frames, path.nr, NULL), stack);
	return stack;
}

/* From the root: `first` counts for as many frames as `nr`, and so on in pairs. */
static void expect(const struct made *made, uint32_t stack, const uint32_t *pairs, size_t nr)
{
	const struct stack_node *nodes = made->table.nodes;

	for (size_t i = nr; i > 0; i -= 2) {
		for (uint32_t k = pairs[i - 1]; k-- > 0; stack = nodes[stack].parent)
			assert_int_equal(nodes[stack].frame, FRAME_FIRST + pairs[i - 2] + k);
	}
	assert_int_equal(stack, STACK_EMPTY);
}

static void stack_maker_next__of_a_slot__goes_on_from_its_last(void **state)
{
	struct made made;

	(void)state;
	setup(&made);
	add(&made, (struct stack_head){ 3, 0, 10, 2 }, 0);
	add(&made, (struct stack_head){ 4, 0, 5, 0 }, 50);
	add(&made, (struct stack_head){ STACK_NO_SLOT, 0, 4, 0 }, 70);
	add(&made, (struct stack_head){ 3, 8, 3, 0 }, 20);
	add(&made, (struct stack_head){ 3, 10, 0, 0 }, 0);
	add(&made, (struct stack_head){ 4, 5, 0, 1 }, 60);
	expect(&made, make(&made), (uint32_t[]){ 0, 12 }, 2);
	expect(&made, make(&made), (uint32_t[]){ 50, 5 }, 2);
	expect(&made, make(&made), (uint32_t[]){ 70, 4 }, 2);
	expect(&made, make(&made), (uint32_t[]){ 0, 8, 20, 3 }, 4);
	expect(&made, make(&made), (uint32_t[]){ 0, 8, 20, 2 }, 4);
	expect(&made, make(&made), (uint32_t[]){ 50, 5, 60, 1 }, 4);
	assert_int_equal(made.at, made.steps.nr);
	release(&made);
}

static void stack_maker_next__longer_than_a_slot__is_whole_and_not_kept(void **state)
{
	struct made made;

	(void)state;
	setup(&made);
	add(&made, (struct stack_head){ 0, 0, STACK_SLOT_FRAMES, 0 }, 0);
	add(&made, (struct stack_head){ 0, STACK_SLOT_FRAMES, 1, 1 }, 7);
	add(&made, (struct stack_head){ 0, STACK_SLOT_FRAMES, 0, 1 }, 9);
	expect(&made, make(&made), (uint32_t[]){ 0, STACK_SLOT_FRAMES }, 2);
	expect(&made, make(&made), (uint32_t[]){ 0, STACK_SLOT_FRAMES, 7, 2 }, 4);
	expect(&made, make(&made), (uint32_t[]){ 0, STACK_SLOT_FRAMES, 9, 1 }, 4);
	release(&made);
}

static void stack_maker_next__no_frames__is_empty(void **state)
{
	struct made made;

	(void)state;
	setup(&made);
	add(&made, (struct stack_head){ STACK_NO_SLOT, 0, 0, 0 }, 0);
	assert_int_equal(make(&made), STACK_EMPTY);
	release(&made);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stack_maker_next__of_a_slot__goes_on_from_its_last),
		TEST(stack_maker_next__longer_than_a_slot__is_whole_and_not_kept),
		TEST(stack_maker_next__no_frames__is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
