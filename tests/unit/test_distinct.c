#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/distinct.h"
#include "report/short_name.h"
#include "util/array.h"
#include "util/utf8.h"

#define MAP(key) "<hashbrown::map::HashMap<" key ", u32>>::insert"

/* The part of each text that tells it apart, in brackets. */
static void expect_parts(const char *const *texts, size_t nr, bool from_end, const char *expected)
{
	struct text_part parts[8];
	struct strbuf got = STRBUF_INIT;

	distinct_find(texts, nr, from_end, parts);
	for (size_t i = 0; i < nr; i++) {
		assert_true(parts[i].from <= parts[i].at || !parts[i].to);
		strbuf_addf(&got, "[%.*s]", (int)(parts[i].to - parts[i].from),
			    texts[i] + parts[i].from);
	}
	assert_string_equal(got.buf, expected);
	strbuf_release(&got);
}

static void distinct_find__similar_texts__what_differs(void **state)
{
	static const char *const paths[] = { MAP("a::DefId"), MAP("a::LocalDefId"),
					     MAP("b::x::Ty") };
	static const char *const same_ends[] = { MAP("a::Def"), MAP("b::Def") };
	static const char *const numbers[] = { "f::<[u8; 8]>", "f::<[u8; 16]>", "f::<(u8, 8)>" };
	static const char *const closures[] = { "a::{closure#0}", "a::{closure#12}",
						"a::{closure#12}" };
	static const char *const shorter[] = { "Vec<u8>::x", "Vec<u8, A>::x", "Vec<u8" };
	static const char *const equal[] = { "a", "a" };
	static const char *const stacks[] = { "main;a;leaf", "main;b::c;leaf", "leaf",
					      "x;main;b::c;leaf" };

	(void)state;
	expect_parts(paths, 3, false, "[DefId][LocalDefId][Ty]");
	expect_parts(same_ends, 2, false, "[a::Def][b::Def]");
	expect_parts(numbers, 3, false, "[[u8; 8]][[u8; 16]][<(u8]");
	expect_parts(closures, 3, false, "[0][12][12]");
	expect_parts(shorter, 3, false, "[u8][u8, A][u8]");
	expect_parts(equal, 2, false, "[][]");
	expect_parts(stacks, 4, true, "[a][main][leaf][x]");
	expect_parts(equal, 0, false, "");
}

static void distinct_fit__any_width__keeps_the_part(void **state)
{
	static const struct {
		size_t width;
		bool stack;
		const char *text, *part, *expected;
	} cases[] = {
		{ 60, false, MAP("…DefId"), "DefId", MAP("…DefId") },
		{ 40, false, MAP("…DefId"), "DefId", "<hashbrow…:HashMap<…DefId, u32>>::insert" },
		{ 20, false, MAP("…DefId"), "DefId", "<h…p<…DefId…::insert" },
		{ 10, false, MAP("…DefId"), "DefId", "…DefId…rt" },
		{ 5, false, MAP("…DefId"), "DefId", "Def…t" },
		{ 30, true, "main;a::run;b::walk;c;d::leaf", "run",
		  "main;a::run;b::walk;c;d::leaf" },
		{ 24, true, "main;a::run;b::walk;c;d::leaf", "run", "…;a::run…;c;d::leaf" },
		{ 12, true, "main;a::run;b::walk;c;d::leaf", "run", "…;…:run…leaf" },
		{ 1, true, "main;run;leaf", "run", "r" },
		{ 7, false, "x::𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹::y", "𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹", "…𝒶𝒷𝒸𝒹…y" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t from = (size_t)(strstr(cases[i].text, cases[i].part) - cases[i].text);
		struct text_part part = { (uint32_t)from, (uint32_t)(from + strlen(cases[i].part)),
					  (uint32_t)from };
		struct strbuf sb = STRBUF_INIT;

		for (size_t width = 1; width < 80; width++) {
			strbuf_clear(&sb);
			distinct_fit(&sb, cases[i].text, part, cases[i].stack, width);
			assert_true(utf8_length(sb.buf) <= width);
			assert_true(utf8_valid(sb.buf, sb.len));
		}
		strbuf_clear(&sb);
		distinct_fit(&sb, cases[i].text, part, cases[i].stack, cases[i].width);
		assert_string_equal(sb.buf, cases[i].expected);
		strbuf_release(&sb);
	}
}

/* Characters may differ in any of their bytes. */
static void distinct_fit__wide_characters__stay_whole(void **state)
{
	static const char *const pairs[][2] = {
		{ "x::𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹𝒶::end", "x::𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹𝒷::end" },
		{ "x::𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹𐀀::end", "x::𝒶𝒷𝒸𝒹𝒶𝒷𝒸𝒹😀::end" },
		{ "x::ééééééééa€b::end", "x::ééééééééa₭b::end" },
		{ "x::ééééééééaéb::end", "x::ééééééééaèb::end" },
		{ "😀", "😁" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		for (size_t k = 0; k < 4; k++) {
			struct text_part parts[2];
			struct strbuf sb = STRBUF_INIT;

			distinct_find(pairs[i], 2, k & 1, parts);
			for (size_t width = 1; width < 30; width++) {
				strbuf_clear(&sb);
				distinct_fit(&sb, pairs[i][k / 2], parts[k / 2], k & 1, width);
				assert_true(utf8_length(sb.buf) <= width);
				assert_true(utf8_valid(sb.buf, sb.len));
			}
			strbuf_release(&sb);
		}
	}
}

static void short_name_keep__parts_of_names__where_they_are(void **state)
{
	static const struct {
		const char *name, *part, *expected;
	} cases[] = {
		{ MAP("rustc_span::DefId"), "DefId", "<hashbrown::map::HashMap<…DefId…>>::insert" },
		{ "a::f::<B>::g::<C<D>>", "D", "a::f::<…>::g::<…D…>" },
		{ "a::f::<B>::g::<C<D>>", "B", "a::f::<B>::g::<…>" },
		{ "a::f::<B>::g::<C<D>>", "g", "a::f::<…>::g::<…>" },
		{ "a::f::<B<C>, D>", "C>, D", "a::f::<…C>, D>" },
		{ "a::{closure#3}::{closure#1}", "3", "a::{closure#3}::{closure}" },
		{ "core[12ab]::ptr", "12ab", "core[12ab]::ptr" },
		{ "a::b::h0123456789abcdef", "h0123456789abcdef", "a::b::h0123456789abcdef" },
		{ "X<Y>::operator<", "Y", "X<Y>::operator<" },
		{ "operators::X<Y>::f", "X", "operators::X<…>::f" },
		{ "a<b", "b", "a<b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t from = (size_t)(strstr(cases[i].name, cases[i].part) - cases[i].name);
		size_t to = from + strlen(cases[i].part);
		struct strbuf sb = STRBUF_INIT;

		short_name_keep(&sb, cases[i].name, &from, &to);
		assert_string_equal(sb.buf, cases[i].expected);
		assert_int_equal(to - from, strlen(cases[i].part));
		assert_memory_equal(sb.buf + from, cases[i].part, to - from);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinct_find__similar_texts__what_differs),
		cmocka_unit_test(distinct_fit__any_width__keeps_the_part),
		cmocka_unit_test(distinct_fit__wide_characters__stay_whole),
		cmocka_unit_test(short_name_keep__parts_of_names__where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
