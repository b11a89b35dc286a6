#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/name_hint.h"
#include "util/array.h"

static void name_hint_last_part__names__without_path_and_arguments(void **state)
{
	static const char *const cases[][2] = {
		{ "main", "main" },
		{ "rustc_parse::parser::parse_expr", "parse_expr" },
		{ "<rustc_hir_typeck::fn_ctxt::FnCtxt>::check_expr", "check_expr" },
		{ "<alloc::vec::Vec<u8> as core::clone::Clone>::clone", "clone" },
		{ "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "drop_in_place" },
		{ "<rustc_hir_typeck::FnCtxt>::check_expr::{closure#0}", "check_expr" },
		{ "rustc_span::with::<u32, rustc_span::f::{closure#0}>::{closure#1}", "with" },
		{ "<fn(u32) -> u8 as core::ops::Fn>::call", "call" },
		{ "llvm::PassManager<llvm::Function>::run(llvm::Function&)", "run" },
		{ "(anonymous namespace)::Inliner::run() const", "run" },
		{ "libLLVM.so.19.1!0x1f00d", "libLLVM.so.19.1!0x1f00d" },
		{ "[truncated]", "[truncated]" },
		{ "", "" },
		{ "::", "::" },
		{ "<", "<" },
		{ "a::<b", "a" },
		{ "f<int>", "f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf part = STRBUF_INIT;

		name_hint_last_part(&part, cases[i][0]);
		assert_string_equal(part.len ? part.buf : "", cases[i][1]);
		strbuf_release(&part);
	}
}

static const struct {
	const char *name;
	int64_t weight;
} functions[] = {
	{ "<rustc_hir_typeck::FnCtxt>::check_expr", 10 },
	{ "<rustc_hir_typeck::FnCtxt>::check_pat", 20 },
	{ "rustc_passes::check_expr::<u8>", 5 },
	{ "rustc_hir_typeck::typeck", 1 },
	{ "rustc_hir_typeck::check_block", 14 },
	{ "rustc_hir_typeck::check_match", 3 },
	{ "f(int)", 3 },
};

static void name_hints_add__functions__the_nearest_and_largest(void **state)
{
	static const char *const cases[][2] = {
		{ "chek_expr", " (did you mean 'check_expr'?)" },
		{ "CHECK_EXP", " (did you mean 'check_expr'?)" },
		/* 10 and 5 of one name are more than 14. */
		{ "check",
		  " (did you mean 'check_pat', 'check_expr' or 'check_block'?), '*check*' matches "
		  "5 functions" },
		{ "*check_blok*", " (did you mean 'check_block'?)" },
		{ "FnCtxt", ", '*FnCtxt*' matches 2 functions" },
		{ "nowhere", "" },
		{ "", "" },
		{ "**", "" },
		{ "zz", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;
		struct name_hints hints;

		name_hints_init(&hints, cases[i][0]);
		for (size_t k = 0; k < ARRAY_SIZE(functions); k++)
			name_hints_see_function(&hints, functions[k].name, functions[k].name,
						functions[k].weight);
		name_hints_add(&hints, &text);
		assert_string_equal(text.len ? text.buf : "", cases[i][1]);
		name_hints_release(&hints);
		strbuf_release(&text);
	}
}

/* What is shown must match if it is given: parameters belong to a name. */
static void name_hints_see_function__parameters__all_of_the_name(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct name_hints hints;

	(void)state;
	name_hints_init(&hints, "runn");
	name_hints_see_function(&hints, "llvm::run(int)", "llvm::run(int)", 1);
	name_hints_add(&hints, &text);
	assert_string_equal(text.buf, " (did you mean 'llvm::run(int)'?)");
	name_hints_release(&hints);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_hint_last_part__names__without_path_and_arguments),
		cmocka_unit_test(name_hints_add__functions__the_nearest_and_largest),
		cmocka_unit_test(name_hints_see_function__parameters__all_of_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
