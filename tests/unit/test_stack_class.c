#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stack_class.h"
#include "machine_fixture.h"
#include "util/array.h"

/* Symbols of 0x100 bytes in the compiler's library. */
static const char *const symbols[] = {
	"main",
	"rustc_hir_typeck::check_expr",
	"rustc_query_impl::query_impl::typeck::get_query_incr",
	"rustc_query_impl::query_impl::layout_of::get_query_incr",
	"<alloc::vec::Vec<u8>>::push",
};

struct fixture {
	struct machine_fixture *base;
	struct function_table functions;
	struct stack_tags *tags;
	uint32_t module;
};

static bool find_symbol(void *data, const struct module *module, uint64_t offset,
			struct symbol *symbol)
{
	uint64_t at = offset / 0x100;

	(void)data;
	(void)module;
	if (at >= ARRAY_SIZE(symbols))
		return false;
	*symbol = (struct symbol){ at * 0x100, at * 0x100 + 0x100, symbols[at], NULL, 0 };
	return true;
}

static int setup(void **state)
{
	struct trace_map map = { .path = "/lib/librustc_driver-1.so",
				 .address = 0x1000,
				 .length = 0x1000,
				 .code = true };
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct machine *machine;

	f->base = machine_fixture_new();
	machine = &f->base->machine;
	function_table_init(&f->functions, &machine->modules, &machine->stacks,
			    (struct symbol_source){ NULL, find_symbol, NULL });
	f->tags = stack_tags_builtin();
	f->module = module_table_intern(&machine->modules, &map);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stack_tags_free(f->tags);
	function_table_release(&f->functions);
	machine_fixture_free(f->base);
	free(f);
	return 0;
}

/* The stack of functions by their numbers, -1 ends it. */
static uint32_t stack_of(struct fixture *f, const int *functions)
{
	struct stack_table *stacks = &f->base->machine.stacks;
	uint32_t stack = STACK_EMPTY;

	for (; *functions >= 0; functions++)
		stack = stack_table_push(
			stacks, stack,
			stack_table_frame(stacks, f->module, (uint64_t)*functions * 0x100));
	return stack;
}

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
	struct fixture *f = *state;
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
	struct fixture *f = *state;
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
	struct fixture *f = *state;
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(stack_classes_of_stack__functions__phase_and_innermost_query),
		TEST(stack_classes_of_stack__not_recorded__a_class_of_its_own),
		TEST(stack_classes_of_function__queries__those_that_run_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
