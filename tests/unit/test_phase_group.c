#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/phase_group.h"
#include "analysis/stack_tags.h"
#include "util/array.h"

/* A phase that is new in profiles/rustc.stacktags, or has a new name there, needs a group. */
static void phase_group_of__the_builtin_phases__all_are_known(void **state)
{
	static const char *const others[] = { "rustc: metadata", "rustc: incremental",
					      "rustc: queries", "allocator" };
	struct stack_tags *tags = stack_tags_builtin();
	size_t seen[PHASE_GROUPS] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < stack_tags_nr(tags); i++) {
		enum phase_group group = phase_group_of(stack_tags_name(tags, i));
		bool other = false;

		for (size_t k = 0; k < ARRAY_SIZE(others); k++)
			other |= !strcmp(stack_tags_name(tags, i), others[k]);
		if (other != (group == PHASE_OTHER))
			fail_msg("'%s' has another group", stack_tags_name(tags, i));
		seen[group]++;
	}
	for (int group = 0; group < PHASE_GROUPS; group++)
		assert_true(seen[group] > 0);
	stack_tags_free(tags);
}

static void phase_group_of__names__their_groups(void **state)
{
	(void)state;
	assert_int_equal(phase_group_of("rustc: borrow check"), PHASE_FRONTEND);
	assert_int_equal(phase_group_of("rustc: MIR build"), PHASE_MIR);
	assert_int_equal(phase_group_of("rustc: codegen"), PHASE_CODEGEN);
	assert_int_equal(phase_group_of("LLVM: optimize: inline"), PHASE_LLVM);
	assert_int_equal(phase_group_of("linking: lld"), PHASE_LINK);
	assert_int_equal(phase_group_of("[untagged]"), PHASE_OTHER);
	assert_int_equal(phase_group_of("LLVM"), PHASE_OTHER);
}

static void phase_step_most__what_is_known_first(void **state)
{
	const struct phase_step nothing = { .process = 0 };
	const struct phase_step other = { .ns = { [PHASE_OTHER] = 5 } };
	const struct phase_step llvm = {
		.ns = { [PHASE_MIR] = 1, [PHASE_LLVM] = 2, [PHASE_OTHER] = 5 }
	};

	(void)state;
	assert_int_equal(phase_step_most(&nothing), PHASE_OTHER);
	assert_int_equal(phase_step_most(&other), PHASE_OTHER);
	assert_int_equal(phase_step_most(&llvm), PHASE_LLVM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phase_group_of__the_builtin_phases__all_are_known),
		cmocka_unit_test(phase_group_of__names__their_groups),
		cmocka_unit_test(phase_step_most__what_is_known_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
