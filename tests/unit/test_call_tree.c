#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/call_tree.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/strset.h"

/* Stacks as a view has them. */
struct stacks {
	struct stack_table table;
	struct strset names;
	int64_t values[64];
};

static const char *name_of(const void *data, uint32_t name)
{
	return ((const struct stacks *)data)->names.strings.v[name];
}

/* "root;caller;leaf VALUE" */
static void add_stack(struct stacks *stacks, const char *text)
{
	uint32_t node = STACK_EMPTY;
	const char *value = strrchr(text, ' ');

	while (text < value) {
		size_t len = strcspn(text, ";");
		char *name;

		if (len > (size_t)(value - text))
			len = (size_t)(value - text);
		name = xstrndup(text, len);
		node = stack_table_push(&stacks->table, node, strset_add(&stacks->names, name));
		free(name);
		text += len + 1;
	}
	assert_in_range(node, 1, ARRAY_SIZE(stacks->values) - 1);
	stacks->values[node] = strtoll(value, NULL, 10);
}

static void make(struct call_tree *calls, const char *const *texts,
		 const struct call_tree_options *options)
{
	struct stacks stacks = { .names = STRSET_INIT };
	struct call_tree_stacks made;

	stack_table_init(&stacks.table);
	for (; *texts; texts++)
		add_stack(&stacks, *texts);
	made = (struct call_tree_stacks){
		.nodes = stacks.table.nodes,
		.nr = stacks.table.nodes_nr,
		.values = stacks.values,
		.names_nr = stacks.names.strings.nr,
		.name = name_of,
		.data = &stacks,
	};
	call_tree_init(calls, &made, options);
	stack_table_release(&stacks.table);
	strset_release(&stacks.names);
}

/* A line "total self depth name" for each row, indented as it is shown. */
static void expect(const char *const *stacks, const struct call_tree_options *options,
		   const char *expected)
{
	struct call_tree calls;
	struct strbuf got = STRBUF_INIT;

	make(&calls, stacks, options);
	for (size_t i = 0; i < calls.nr; i++) {
		const struct call_tree_row *row = &calls.rows[i];

		strbuf_addf(&got, "%*s%d %d %u ", (int)row->indent, "", (int)row->total,
			    (int)row->self, row->depth);
		if (row->name)
			strbuf_addf(&got, "%s\n", row->name);
		else
			strbuf_addf(&got, "+%zu\n", row->others);
	}
	assert_string_equal(got.buf ? got.buf : "", expected);
	strbuf_release(&got);
	call_tree_release(&calls);
}

static const char *const stacks[] = {
	"main;parse 10",
	"main;parse;lex 30",
	"main;check;check 40",
	"main;check;check;lex 5",
	"main;small 3",
	"main;tiny 2",
	"other 10",
	NULL,
};

static void call_tree__rows__the_largest_first_chains_not_indented(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .min_share = 0 },
	       "90 0 0 main\n"
	       " 45 0 1 check\n 45 40 2 check\n 5 5 3 lex\n"
	       " 40 10 1 parse\n 30 30 2 lex\n 3 3 1 small\n 2 2 1 tiny\n"
	       "10 10 0 other\n");
}

static void call_tree__small_callees__are_one_row(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .min_share = 10 },
	       "90 0 0 main\n"
	       " 45 0 1 check\n 45 40 2 check\n 5 0 3 +1\n"
	       " 40 10 1 parse\n 30 30 2 lex\n 5 0 1 +2\n"
	       "10 10 0 other\n");
}

static void call_tree__inverted__who_called_it(void **state)
{
	(void)state;
	expect(stacks, &(struct call_tree_options){ .inverted = true },
	       "40 0 0 check\n"
	       "40 0 1 check\n"
	       "40 40 2 main\n"
	       "35 0 0 lex\n"
	       " 30 0 1 parse\n"
	       " 30 30 2 main\n"
	       " 5 0 1 check\n"
	       " 5 0 2 check\n"
	       " 5 5 3 main\n"
	       "10 0 0 parse\n"
	       "10 10 1 main\n"
	       "10 10 0 other\n"
	       "3 0 0 small\n"
	       "3 3 1 main\n"
	       "2 0 0 tiny\n"
	       "2 2 1 main\n");
}

static void call_tree__focus_and_ignore__by_patterns(void **state)
{
	struct strvec focus = STRVEC_INIT, ignore = STRVEC_INIT;
	struct call_tree_options options = { .focus = &focus, .ignore = &ignore };

	(void)state;
	strvec_push(&focus, "che?k");
	expect(stacks, &options, "45 0 0 check\n45 40 1 check\n5 5 2 lex\n");
	options.inverted = true;
	expect(stacks, &options, "45 0 0 check\n45 45 1 main\n");
	options.inverted = false;
	strvec_clear(&focus);
	strvec_push(&focus, "nowhere");
	expect(stacks, &options, "");
	strvec_clear(&focus);
	strvec_push(&ignore, "check");
	strvec_push(&ignore, "parse");
	expect(stacks, &options,
	       "90 50 0 main\n 35 35 1 lex\n 3 3 1 small\n 2 2 1 tiny\n10 10 0 other\n");
	strvec_release(&focus);
	strvec_release(&ignore);
}

static const char *const compiler[] = {
	"main;core::ops::function::FnOnce::call_once;a::run::{closure#3};a::run;a::run::{closure#0}"
	";malloc 7",
	"main;rustc_query_impl::get_query::typeck;rustc_query_system::x::y;rustc_query_impl::"
	"dynamic_query::"
	"typeck::{closure#2};t::<A>::f 20",
	"main;rustc_query_impl::get_query::typeck;t::<B>::f 1",
	"core::rt::begin 5",
	NULL,
};

static void call_tree__plumbing__counts_for_its_caller(void **state)
{
	(void)state;
	expect(compiler, &(struct call_tree_options){ .min_share = 0 },
	       "28 0 0 main\n 21 0 1 query typeck\n 21 21 2 t::<…>::f\n"
	       " 7 0 1 a::run::{closure}\n 7 7 2 a::run\n"
	       "5 5 0 [plumbing]\n");
	expect(compiler, &(struct call_tree_options){ .full_names = true },
	       "28 0 0 main\n 21 0 1 query typeck\n  20 20 2 t::<A>::f\n  1 1 2 t::<B>::f\n"
	       " 7 0 1 a::run::{closure#3}\n 7 0 2 a::run\n 7 7 3 a::run::{closure#0}\n"
	       "5 5 0 [plumbing]\n");
	expect(compiler, &(struct call_tree_options){ .plumbing = true, .min_share = 50 },
	       "28 0 0 main\n 21 0 1 rustc_query_impl::get_query::typeck\n"
	       "  20 0 2 rustc_query_system::x::y\n"
	       "  20 0 3 rustc_query_impl::dynamic_query::typeck::{closure}\n"
	       "  20 20 4 t::<…>::f\n  1 0 2 +1\n 7 0 1 +1\n5 0 0 +1\n");
}

/* Whatever is folded, the sum stays, and a total is that of the rows below it and the row itself. */
static void call_tree__any_options__sums_stay(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 16; bits++) {
		static const double shares[] = { 0, 1, 12, 99 };
		const struct call_tree_options options = { .inverted = bits & 1,
							   .plumbing = bits & 2,
							   .min_share = shares[bits >> 2] };
		struct call_tree calls;
		int64_t roots = 0;

		make(&calls, compiler, &options);
		for (size_t i = 0; i < calls.nr; i++) {
			const struct call_tree_row *row = &calls.rows[i];
			int64_t below = row->self;

			if (!row->depth)
				roots += row->total;
			for (size_t k = i + 1; k < calls.nr && calls.rows[k].depth > row->depth;
			     k++)
				if (calls.rows[k].depth == row->depth + 1)
					below += calls.rows[k].total;
			if (row->name)
				assert_int_equal(below, row->total);
		}
		assert_int_equal(roots, 33);
		assert_int_equal(calls.total, 33);
		call_tree_release(&calls);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_tree__rows__the_largest_first_chains_not_indented),
		cmocka_unit_test(call_tree__small_callees__are_one_row),
		cmocka_unit_test(call_tree__inverted__who_called_it),
		cmocka_unit_test(call_tree__focus_and_ignore__by_patterns),
		cmocka_unit_test(call_tree__plumbing__counts_for_its_caller),
		cmocka_unit_test(call_tree__any_options__sums_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
