#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cpu_account.h"
#include "report/folded.h"
#include "report/frame_tree.h"
#include "util/array.h"

#include "capture.h"
#include "group_fixture.h"

static void expect_folded(const struct frame_tree *tree, const char *expected)
{
	FILE *file = capture_start();
	char *text;

	folded_write(tree, file);
	text = capture_end(file);
	assert_string_equal(text, expected);
	free(text);
}

static enum frame_kind kind_of(const struct frame_tree *tree, const char *text)
{
	for (size_t i = 0; i < tree->names_nr; i++) {
		if (!strcmp(tree->names[i].text, text))
			return tree->names[i].kind;
	}
	return FRAME_KINDS;
}

static const struct metric *find_metric(const char *name)
{
	const struct account *account;
	size_t i = 0;

	while (strcmp(metric_name(i), name) != 0)
		i++;
	return metric_get(i, &account);
}

static void stack_tree__cpu__stacks_with_their_kinds(void **state)
{
	static const struct cpu_entry entries[] = { { 1, 10, 30 }, { 2, 20, 20 }, { 0, 0, 0 } };
	struct frame_tree tree;
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_STACK);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 1, group_fixture_stack(&fixture, 3, true));
	group_fixture_key(&fixture, 1, group_fixture_stack(&fixture, 1, false));
	frame_tree_init(&tree);
	group_fixture_set(&fixture, &account_cpu, entries, 3, NULL);
	frame_tree_add_results(&tree, &fixture.results, find_metric("cpu"));
	expect_folded(&tree, "main;core::a::b 10\n"
			     "main;core::a::b;malloc;[kernel.kallsyms]!0x1000 20\n");
	assert_int_equal(kind_of(&tree, "[kernel.kallsyms]!0x1000"), FRAME_KERNEL);
	assert_int_equal(kind_of(&tree, "malloc"), FRAME_ALLOCATOR);
	assert_int_equal(kind_of(&tree, "core::a::b"), FRAME_UNKNOWN_KIND);
	frame_tree_release(&tree);
	group_fixture_release(&fixture);
}

static void stack_tree__c_library__is_not_all_allocator(void **state)
{
	static const struct cpu_entry entries[] = { { 1, 10, 10 } };
	struct frame_tree tree;
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_STACK);
	fixture.machine.modules.v[fixture.driver].name = "libc.so.6";
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 3, false));
	frame_tree_init(&tree);
	group_fixture_set(&fixture, &account_cpu, entries, 1, NULL);
	frame_tree_add_results(&tree, &fixture.results, find_metric("cpu"));
	assert_int_equal(kind_of(&tree, "main"), FRAME_UNKNOWN_KIND);
	assert_int_equal(kind_of(&tree, "malloc"), FRAME_ALLOCATOR);
	frame_tree_release(&tree);
	group_fixture_release(&fixture);
}

static void stack_tree__ledger__the_metric_that_was_asked_for(void **state)
{
	static const struct {
		const char *metric;
		const char *expected;
		int64_t surplus;
	} cases[] = {
		{ "size", "main 1000\nmain;core::a::b 3\n", 0 },
		{ "at-peak", "main 800\n", 5 },
		{ "outstanding", "main 500\nmain;core::a::b 4\n", 0 },
	};
	struct ledger_entry keys[] = { { .size = 1000, .at_peak = 800, .at = 500 },
				       { .size = 3, .at_peak = -5, .at = 4 } };
	struct group_fixture fixture;

	(void)state;
	group_fixture_init(&fixture, BY_STACK);
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 1, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 2, false));
	group_fixture_key(&fixture, 0, group_fixture_stack(&fixture, 3, false));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame_tree tree;

		frame_tree_init(&tree);
		group_fixture_set(&fixture, &account_memory, keys, ARRAY_SIZE(keys), NULL);
		assert_int_equal(frame_tree_add_results(&tree, &fixture.results,
							find_metric(cases[i].metric)),
				 cases[i].surplus);
		expect_folded(&tree, cases[i].expected);
		frame_tree_release(&tree);
	}
	group_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_tree__cpu__stacks_with_their_kinds),
		cmocka_unit_test(stack_tree__c_library__is_not_all_allocator),
		cmocka_unit_test(stack_tree__ledger__the_metric_that_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
