#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/fit_name.h"
#include "util/array.h"
#include "util/utf8.h"

#define INSERT "<hashbrown::raw::RawTable<(u32, alloc::vec::Vec<u8>)>>::insert::<a::F<b::G>>"

static void fit_name__shorter_and_shorter(void **state)
{
	static const struct {
		size_t width;
		const char *name, *expected;
	} cases[] = {
		{ 5, "abcde", "abcde" },
		{ 4, "abcde", "a…de" },
		{ 1, "abcde", "…" },
		{ 80, INSERT, INSERT },
		{ 75, INSERT,
		  "<hashbrown::raw::RawTable<(u32, alloc::vec::Vec<…>)>>::insert::<a::F<…>>" },
		{ 60, INSERT, "<hashbrown::raw::RawTable<…>>::insert::<…>" },
		{ 30, INSERT, "<hashbrown:…e<…>>::insert::<…>" },
		/* A path in brackets is no list of arguments. */
		{ 40, "<<a::B<C<D>> as e::F<G<H>>>::I as std::marker::Send>::go",
		  "<<a::B<…> as e:…s std::marker::Send>::go" },
		/* An arrow closes nothing. */
		{ 24, "a::call::<fn(u8) -> B<C>>::now", "a::call::<…>::now" },
		/* Brackets that are no pairs. */
		{ 12, "a<b<c::d_long_name", "a<b<…ng_name" },
		{ 12, "a::b_long>::name", "a::b…>::name" },
		{ 16, "llvm::operator<<<llvm::X>", "llvm::…<llvm::X>" },
		{ 8, "größer_über", "gr…_über" },
		/* Indentation is kept, but not at the cost of the name. */
		{ 10, "  abcdefghij", "  ab…fghij" },
		{ 10, "        abcdefghij", "     a…hij" },
		{ 10, "        abc", "     abc" },
		{ 1, "  a", "a" },
		{ 10, "  " FIT_MARK "abcdefghij", "  └ ab…hij" },
		{ 10, "        " FIT_MARK "abcd", "   └ abcd" },
		{ 3, FIT_MARK "ab", "ab" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		fit_name(&sb, cases[i].name, cases[i].width);
		assert_string_equal(sb.buf, cases[i].expected);
		assert_true(utf8_length(sb.buf) <= cases[i].width);
		strbuf_release(&sb);
	}
}

/* More brackets than are followed. */
static void fit_name__very_deep__keeps_both_ends(void **state)
{
	struct strbuf name = STRBUF_INIT, sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		strbuf_adds(&name, "a<");
	strbuf_adds(&name, "the_end");
	fit_name(&sb, name.buf, 11);
	assert_string_equal(sb.buf, "a<a<…he_end");
	strbuf_release(&name);
	strbuf_release(&sb);
}

static struct frame_names names_of(const struct strvec *frames)
{
	struct cell cell = CELL_INIT;

	cell_set_strings(&cell, frames);
	return cell_frames(&cell);
}

static void fit_stack__keeps_the_leaf(void **state)
{
	static const struct {
		size_t width;
		const char *frames[6];
		const char *expected;
	} cases[] = {
		{ 30, { "main", "run", "malloc" }, "main;run;malloc" },
		{ 15, { "main", "run", "malloc" }, "main;run;malloc" },
		{ 14, { "main", "run", "malloc" }, "…;run;malloc" },
		{ 11, { "main", "run", "malloc" }, "…;malloc" },
		{ 10, { "main", "runs", "a_very_long_leaf" }, "…;a_…_leaf" },
		{ 10, { "a_very_long_leaf" }, "a_v…g_leaf" },
		/* Without type arguments all of it fits. */
		{ 24, { "main", "a::b::<c::D<e::F>>", "leaf" }, "main;a::b::<…>;leaf" },
		/* A caller that does not fit shows its ends where there is room for them. */
		{ 40,
		  { "main", "rustc_middle::ty::context::interners::intern", "leaf" },
		  "…;rustc_middle…t::interners::intern;leaf" },
		{ 24,
		  { "main", "rustc_middle::ty::context::interners::intern", "leaf" },
		  "…;rustc_…rs::intern;leaf" },
		{ 20,
		  { "main", "rustc_middle::ty::context::interners::intern", "leaf" },
		  "…;leaf" },
		{ 40,
		  { "rustc_middle::ty::context::interners::intern", "leaf" },
		  "rustc_middle:…xt::interners::intern;leaf" },
		{ 20, { "a\nb", "c" }, "a\\nb;c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct strvec frames = STRVEC_INIT;

		for (size_t j = 0; cases[i].frames[j]; j++)
			strvec_push(&frames, cases[i].frames[j]);
		fit_stack(&sb, names_of(&frames), cases[i].width);
		assert_string_equal(sb.buf, cases[i].expected);
		assert_true(utf8_length(sb.buf) <= cases[i].width);
		strbuf_release(&sb);
		strvec_release(&frames);
	}
}

static void fit_stack__nothing__is_nothing(void **state)
{
	struct strvec frames = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	fit_stack(&sb, names_of(&frames), 10);
	assert_string_equal(sb.buf, "");
}

static const char *next_counted(const void *data, uint32_t *at)
{
	++*(size_t *)data;
	--*at;
	return "a_function";
}

static void fit_stack__deep_stack__asks_for_what_it_shows(void **state)
{
	size_t asked = 0;
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	fit_stack(&sb, (struct frame_names){ next_counted, &asked, 100000 }, 40);
	assert_string_equal(sb.buf, "…;a_function;a_function;a_function");
	assert_int_equal(asked, 4);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fit_name__shorter_and_shorter),
		cmocka_unit_test(fit_name__very_deep__keeps_both_ends),
		cmocka_unit_test(fit_stack__keeps_the_leaf),
		cmocka_unit_test(fit_stack__nothing__is_nothing),
		cmocka_unit_test(fit_stack__deep_stack__asks_for_what_it_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
