#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stack_filter.h"
#include "stack_class_fixture.h"
#include "util/array.h"

/* In the order of the letters of a case. */
static const int stacks[][6] = {
	{ -1 },             /* a */
	{ 0, 4, -1 },       /* b */
	{ 0, 1, 4, -1 },    /* c: type check */
	{ 0, 2, 1, 4, -1 }, /* d: type check, typeck */
	{ 0, 2, 3, -1 },    /* e: typeck, layout_of */
	{ 0, 3, 1, -1 },    /* f: type check, layout_of */
};

/* What a filter lets through, as letters; s is the stack that was not recorded. */
static void see_passing(struct class_fixture *f, const struct stack_filter *filter, char *seen)
{
	struct machine *machine = &f->base->machine;
	struct stack_matcher *matcher = stack_matcher_new(filter, machine, &f->functions, f->tags);

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		if (stack_matcher_passes(matcher, stack_of(f, stacks[i])))
			*seen++ = (char)('a' + i);
	}
	if (stack_matcher_passes(
		    matcher, stack_table_push(&machine->stacks, STACK_EMPTY, FRAME_NOT_SAMPLED)))
		*seen++ = 's';
	*seen = '\0';
	stack_matcher_free(matcher);
}

static void release_classes(struct stack_filter *filter)
{
	strvec_release(&filter->phases);
	strvec_release(&filter->queries);
	strvec_release(&filter->not_phases);
	strvec_release(&filter->not_queries);
}

static void stack_matcher_passes__classes__anywhere_or_of_the_whole(void **state)
{
	static const struct {
		const char *phase, *query, *not_phase, *not_query, *seen;
	} cases[] = {
		{ "rustc: type check", NULL, NULL, NULL, "cdf" },
		{ "TYPE*", NULL, NULL, NULL, "cdf" },
		{ "rustc", NULL, NULL, NULL, "cdef" },
		{ "[untagged]", NULL, NULL, NULL, "ab" },
		{ "[not sampled]", NULL, NULL, NULL, "s" },
		{ NULL, NULL, "rustc", NULL, "abs" },
		{ NULL, "typeck", NULL, NULL, "de" },
		{ NULL, "type", NULL, NULL, "" },
		{ NULL, "layout_*", NULL, NULL, "ef" },
		{ NULL, "[no query]", NULL, NULL, "abc" },
		{ NULL, "[not sampled]", NULL, NULL, "s" },
		{ NULL, NULL, NULL, "typeck", "abcfs" },
		{ NULL, NULL, NULL, "[no query]", "defs" },
		{ NULL, NULL, NULL, "*", "" },
		{ NULL, "*", NULL, NULL, "abcdefs" },
		{ "type check", "layout_of", NULL, NULL, "f" },
		{ "type check", NULL, NULL, "typeck", "cf" },
	};
	struct class_fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_filter filter = STACK_FILTER_INIT;
		char seen[ARRAY_SIZE(stacks) + 2];

		if (cases[i].phase)
			strvec_push(&filter.phases, cases[i].phase);
		if (cases[i].query)
			strvec_push(&filter.queries, cases[i].query);
		if (cases[i].not_phase)
			strvec_push(&filter.not_phases, cases[i].not_phase);
		if (cases[i].not_query)
			strvec_push(&filter.not_queries, cases[i].not_query);
		see_passing(f, &filter, seen);
		if (strcmp(seen, cases[i].seen) != 0)
			fail_msg("case %zu lets '%s' through, not '%s'", i, seen, cases[i].seen);
		release_classes(&filter);
	}
}

/* A row by module that has no file can be asked for as it is shown. */
static void stack_matcher_passes__module_without_a_file__by_its_text(void **state)
{
	static const struct {
		const char *module, *not_module, *seen;
	} cases[] = {
		{ "[not sampled]", NULL, "s" },      { "[NOT*", NULL, "s" },
		{ NULL, "[not sampled]", "abcdef" }, { "not sampled", NULL, "" },
		{ "[truncated]", NULL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_filter filter = STACK_FILTER_INIT;
		char seen[ARRAY_SIZE(stacks) + 2];

		if (cases[i].module)
			strvec_push(&filter.modules, cases[i].module);
		if (cases[i].not_module)
			strvec_push(&filter.not_modules, cases[i].not_module);
		see_passing(*state, &filter, seen);
		assert_string_equal(seen, cases[i].seen);
		strvec_release(&filter.modules);
		strvec_release(&filter.not_modules);
	}
}

static void stack_filter_names_phase__parts(void **state)
{
	(void)state;
	assert_true(stack_filter_names_phase("llvm", "LLVM: optimize: inline"));
	assert_true(stack_filter_names_phase("LLVM: optimize", "LLVM: optimize: inline"));
	assert_true(stack_filter_names_phase("optimize", "LLVM: optimize: inline"));
	assert_true(stack_filter_names_phase("optimize: inline", "LLVM: optimize: inline"));
	assert_true(stack_filter_names_phase("inline", "LLVM: optimize: inline"));
	assert_false(stack_filter_names_phase("line", "LLVM: optimize: inline"));
	assert_false(stack_filter_names_phase("LLVM: inline", "LLVM: optimize: inline"));
	assert_false(stack_filter_names_phase("", "LLVM: optimize: inline"));
}

static void stack_matcher_explain__unknown_classes__the_nearest(void **state)
{
	struct class_fixture *f = *state;
	struct stack_filter filter = STACK_FILTER_INIT;
	struct strbuf notes = STRBUF_INIT;
	struct stack_matcher *matcher;

	strvec_push(&filter.phases, "typ check");
	strvec_push(&filter.phases, "LVM");
	strvec_push(&filter.queries, "typek");
	strvec_push(&filter.queries, "layout_of");
	strvec_push(&filter.not_queries, "nowhere");
	matcher = stack_matcher_new(&filter, &f->base->machine, &f->functions, f->tags);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		stack_matcher_passes(matcher, stack_of(f, stacks[i]));
	stack_matcher_explain(matcher, &notes);
	assert_string_equal(notes.buf,
			    "nothing on the stacks matches --phase 'typ check' (did you mean "
			    "'rustc: type check'?)\n"
			    "nothing on the stacks matches --phase 'LVM' (did you mean 'LLVM'?)\n"
			    "nothing on the stacks matches --query 'typek' (did you mean "
			    "'typeck'?)\n"
			    "nothing on the stacks matches --not-query 'nowhere'\n");
	strbuf_release(&notes);
	stack_matcher_free(matcher);
	release_classes(&filter);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, class_setup, class_teardown)
	const struct CMUnitTest tests[] = {
		TEST(stack_matcher_passes__classes__anywhere_or_of_the_whole),
		TEST(stack_matcher_passes__module_without_a_file__by_its_text),
		TEST(stack_filter_names_phase__parts),
		TEST(stack_matcher_explain__unknown_classes__the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
