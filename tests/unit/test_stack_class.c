#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stack_class.h"
#include "stack_class_fixture.h"
#include "util/array.h"

static const char *name_of(struct stack_classes *classes, uint32_t stack)
{
	return stack_classes_name(classes, stack_classes_of_stack(classes, stack));
}

static const struct {
	int stack[6];
	const char *phase, *query;
} cases[] = {
	{ { -1 }, "[untagged]", "[no query]" },
	{ { 0, -1 }, "[untagged]", "[no query]" },
	{ { 0, 4, -1 }, "[untagged]", "[no query]" },
	{ { 0, 1, -1 }, "rustc: type check", "[no query]" },
	{ { 0, 1, 4, -1 }, "rustc: type check", "[no query]" },
	{ { 0, 2, 1, 4, -1 }, "rustc: type check", "typeck" },
	{ { 0, 2, 1, 3, 4, -1 }, "rustc: type check", "layout_of" },
};

static void stack_classes_of_stack__functions__phase_and_innermost_query(void **state)
{
	struct class_fixture *f = *state;
	const struct machine *machine = &f->base->machine;
	struct stack_classes *phases =
		stack_classes_new(STACK_PHASE, machine, &f->functions, f->tags);
	struct stack_classes *queries =
		stack_classes_new(STACK_QUERY, machine, &f->functions, NULL);

	/* Later stacks first: callers have their classes too. */
	for (size_t i = ARRAY_SIZE(cases); i-- > 0;) {
		uint32_t stack = stack_of(f, cases[i].stack);

		assert_string_equal(name_of(phases, stack), cases[i].phase);
		assert_string_equal(name_of(queries, stack), cases[i].query);
	}
	stack_classes_free(phases);
	stack_classes_free(queries);
}

static void stack_classes_of_stack__not_recorded__a_class_of_its_own(void **state)
{
	struct class_fixture *f = *state;
	struct stack_table *stacks = &f->base->machine.stacks;
	uint32_t stack = stack_table_push(stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);

	for (int kind = STACK_PHASE; kind <= STACK_QUERY; kind++) {
		struct stack_classes *classes = stack_classes_new(
			(enum stack_class_kind)kind, &f->base->machine, &f->functions, f->tags);

		assert_int_equal(stack_classes_of_stack(classes, stack), STACK_CLASS_NOT_SAMPLED);
		assert_string_equal(name_of(classes, stack), "[not sampled]");
		stack_classes_free(classes);
	}
}

static void stack_classes_of_function__queries__those_that_run_one(void **state)
{
	struct class_fixture *f = *state;
	struct stack_table *stacks = &f->base->machine.stacks;
	struct stack_classes *classes =
		stack_classes_new(STACK_QUERY, &f->base->machine, &f->functions, NULL);
	struct frame_function levels[FUNCTION_LEVELS];

	function_table_levels(&f->functions, stack_table_frame(stacks, f->module, 0x210), levels);
	assert_string_equal(
		stack_classes_name(classes, stack_classes_of_function(classes, levels[0])),
		"typeck");
	function_table_levels(&f->functions, stack_table_frame(stacks, f->module, 0x110), levels);
	assert_int_equal(stack_classes_of_function(classes, levels[0]), STACK_CLASS_NONE);
	stack_classes_free(classes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, class_setup, class_teardown)
	const struct CMUnitTest tests[] = {
		TEST(stack_classes_of_stack__functions__phase_and_innermost_query),
		TEST(stack_classes_of_stack__not_recorded__a_class_of_its_own),
		TEST(stack_classes_of_function__queries__those_that_run_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
