/*
 * Stacks of a machine whose functions have phases and queries.
 */
#ifndef TESTS_UNIT_STACK_CLASS_FIXTURE_H
#define TESTS_UNIT_STACK_CLASS_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>

#include "analysis/stack_tags.h"
#include "machine_fixture.h"
#include "model/function.h"
#include "util/array.h"

/* Symbols of 0x100 bytes in the compiler's library. */
static const char *const class_symbols[] = {
	"main",
	"rustc_hir_typeck::check_expr",
	"rustc_query_impl::query_impl::typeck::get_query_incr",
	"rustc_query_impl::query_impl::layout_of::get_query_incr",
	"<alloc::vec::Vec<u8>>::push",
};

struct class_fixture {
	struct machine_fixture *base;
	struct function_table functions;
	struct stack_tags *tags;
	uint32_t module;
};

static inline bool class_find(void *data, const struct module *module, uint64_t offset,
			      struct symbol *symbol)
{
	uint64_t at = offset / 0x100;

	(void)data;
	(void)module;
	if (at >= ARRAY_SIZE(class_symbols))
		return false;
	*symbol = (struct symbol){ at * 0x100, at * 0x100 + 0x100, class_symbols[at], NULL, 0 };
	return true;
}

static inline int class_setup(void **state)
{
	struct trace_map map = { .path = "/lib/librustc_driver-1.so",
				 .address = 0x1000,
				 .length = 0x1000,
				 .code = true };
	struct class_fixture *f = xcalloc(1, sizeof(*f));
	struct machine *machine;

	f->base = machine_fixture_new();
	machine = &f->base->machine;
	function_table_init(&f->functions, &machine->modules, &machine->stacks,
			    (struct symbol_source){ NULL, class_find, NULL });
	f->tags = stack_tags_builtin();
	f->module = module_table_intern(&machine->modules, &map);
	*state = f;
	return 0;
}

static inline int class_teardown(void **state)
{
	struct class_fixture *f = *state;

	stack_tags_free(f->tags);
	function_table_release(&f->functions);
	machine_fixture_free(f->base);
	free(f);
	return 0;
}

/* The stack of functions by their numbers, -1 ends it. */
static inline uint32_t stack_of(struct class_fixture *f, const int *functions)
{
	struct stack_table *stacks = &f->base->machine.stacks;
	uint32_t stack = STACK_EMPTY;

	for (; *functions >= 0; functions++)
		stack = stack_table_push(
			stacks, stack,
			stack_table_frame(stacks, f->module, (uint64_t)*functions * 0x100));
	return stack;
}

#endif
