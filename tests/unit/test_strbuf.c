/*
 * The containers of util/: strbuf, strvec, the array macros and intmap.
 */
#include "util/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/intmap.h"
#include "util/strvec.h"

static void strbuf__fresh__is_an_empty_string(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	(void)state;
	assert_string_equal(sb.buf, "");
	strbuf_clear(&sb);
	strbuf_set_len(&sb, 0);
	strbuf_add(&sb, NULL, 0);
	strbuf_adds(&sb, "");
	strbuf_addf(&sb, "%s", "");
	assert_int_equal(sb.len, 0);
	assert_int_equal(sb.alloc, 0);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
	strbuf_release(&sb);
	assert_string_equal(strbuf_empty, "");
}

static void strbuf_add__all_ways__append_and_terminate(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_adds(&sb, "ab");
	strbuf_addc(&sb, 'c');
	strbuf_add(&sb, "d\0e", 3);
	strbuf_addf(&sb, "%d%s", 42, "f");
	assert_int_equal(sb.len, 9);
	assert_memory_equal(sb.buf, "abcd\0e42f", 10);
	strbuf_set_len(&sb, 2);
	assert_string_equal(sb.buf, "ab");
	strbuf_pad(&sb, '.', 5);
	strbuf_pad(&sb, '!', 3);
	assert_string_equal(sb.buf, "ab...");
	strbuf_clear(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
}

static void strbuf_addf__around_each_growth__keeps_every_byte(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 3000; i++) {
		strbuf_addf(&sb, "%c", (int)('a' + i % 26));
		assert_int_equal(sb.len, i + 1);
		assert_int_equal(sb.buf[i], (int)('a' + i % 26));
		assert_int_equal(sb.buf[i + 1], 0);
		assert_true(sb.alloc > sb.len);
	}
	strbuf_release(&sb);
}

/* In room that is there, in room that has to be made, and where both meet. */
static void strbuf_addf_and_pad__any_length__fits(void **state)
{
	(void)state;
	for (int before = 0; before < 70; before++) {
		for (int more = 0; more < 70; more++) {
			struct strbuf sb = STRBUF_INIT, padded = STRBUF_INIT;

			strbuf_addf(&sb, "%*s", before, "");
			strbuf_addf(&sb, "%0*d|", more, 0);
			strbuf_pad(&padded, ' ', (size_t)before);
			strbuf_pad(&padded, '0', (size_t)(before + (more ? more : 1)));
			strbuf_addc(&padded, '|');
			assert_int_equal(sb.len, before + (more ? more : 1) + 1);
			assert_int_equal(strlen(sb.buf), sb.len);
			assert_int_equal(padded.len, sb.len);
			assert_string_equal(padded.buf, sb.buf);
			strbuf_release(&sb);
			strbuf_release(&padded);
		}
	}
}

static void strbuf_detach__twice__gives_away_and_starts_anew(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *first, *second;

	(void)state;
	strbuf_adds(&sb, "one");
	first = strbuf_detach(&sb);
	strbuf_adds(&sb, "two");
	second = strbuf_detach(&sb);
	assert_string_equal(first, "one");
	assert_string_equal(second, "two");
	assert_int_equal(sb.alloc, 0);
	free(first);
	free(second);
}

static void strbuf_ends_with__borders__count(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_true(strbuf_ends_with(&sb, ""));
	assert_false(strbuf_ends_with(&sb, "a"));
	strbuf_add(&sb, "a\0b", 3);
	assert_true(strbuf_ends_with(&sb, "b"));
	assert_false(strbuf_ends_with(&sb, "ab"));
	strbuf_release(&sb);
}

static void strvec__fresh__is_an_empty_argv(void **state)
{
	struct strvec sv = STRVEC_INIT, other = STRVEC_INIT;

	(void)state;
	assert_null(sv.v[0]);
	strvec_push_all(&sv, &other);
	assert_int_equal(sv.nr, 0);
	strvec_release(&sv);
	strvec_release(&sv);
	assert_null(strvec_empty[0]);
}

static void strvec_push__many__is_always_terminated(void **state)
{
	struct strvec sv = STRVEC_INIT;
	char text[] = "x";

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		strvec_pushf(&sv, "%zu", i);
		assert_int_equal(sv.nr, i + 1);
		assert_null(sv.v[sv.nr]);
	}
	strvec_push(&sv, text);
	text[0] = 'y';
	assert_string_equal(sv.v[100], "x");
	assert_string_equal(sv.v[0], "0");
	assert_string_equal(sv.v[99], "99");
	strvec_release(&sv);
}

static void strvec_clear__any__is_empty_and_takes_more(void **state)
{
	struct strvec sv = STRVEC_INIT;
	char first[] = "not", second[] = "to be freed", *own[] = { first, second, NULL };
	struct strvec borrowed = { own, 2, 0 };
	size_t alloc;

	(void)state;
	strvec_clear(&sv);
	assert_int_equal(sv.nr, 0);
	assert_null(sv.v[0]);
	for (int i = 0; i < 20; i++)
		strvec_pushf(&sv, "%d", i);
	alloc = sv.alloc;
	strvec_clear(&sv);
	assert_int_equal(sv.nr, 0);
	assert_int_equal(sv.alloc, alloc);
	assert_null(sv.v[0]);
	strvec_push(&sv, "anew");
	assert_string_equal(sv.v[0], "anew");
	assert_null(sv.v[1]);
	strvec_release(&sv);
	strvec_clear(&borrowed);
	assert_int_equal(borrowed.nr, 0);
	assert_string_equal(own[0], "not");
}

static void strvec_remove__everywhere__keeps_the_order(void **state)
{
	static const char *const words[] = { "a", "b", "c", "d" };
	struct strvec sv = STRVEC_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strvec_push(&sv, words[i]);
	strvec_remove(&sv, 3);
	strvec_remove(&sv, 0);
	assert_int_equal(sv.nr, 2);
	assert_string_equal(sv.v[0], "b");
	assert_string_equal(sv.v[1], "c");
	assert_null(sv.v[2]);
	strvec_remove(&sv, 0);
	strvec_remove(&sv, 0);
	assert_int_equal(sv.nr, 0);
	strvec_release(&sv);
}

static void strvec_sort__bytewise__ends_in_null(void **state)
{
	static const char *const words[] = { "a/x", "", "a.d", "B", "\xc3\xa4", "a", "a-b" };
	static const char *const sorted[] = { "", "B", "a", "a-b", "a.d", "a/x", "\xc3\xa4" };
	struct strvec sv = STRVEC_INIT;

	(void)state;
	strvec_sort(&sv);
	assert_int_equal(sv.nr, 0);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strvec_push(&sv, words[i]);
	strvec_sort(&sv);
	assert_int_equal(sv.nr, ARRAY_SIZE(sorted));
	for (size_t i = 0; i < sv.nr; i++)
		assert_string_equal(sv.v[i], sorted[i]);
	assert_null(sv.v[sv.nr]);
	strvec_release(&sv);
}

static void array_grow__one_by_one__keeps_what_was_there(void **state)
{
	int *v = NULL;
	size_t nr = 0, alloc = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		ARRAY_GROW(v, nr + 1, alloc);
		assert_true(alloc > nr);
		v[nr++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	ARRAY_GROW(v, 5000, alloc);
	assert_true(alloc >= 5000);
	free(v);
}

static void array_search__any_size__counts_those_before(void **state)
{
	static const int sorted[] = { 1, 1, 3, 5, 5, 5, 5, 8, 9, 9, 12 };

	(void)state;
	for (size_t nr = 0; nr <= ARRAY_SIZE(sorted); nr++) {
		for (int value = 0; value < 14; value++) {
			size_t below, up_to, expected_below = 0, expected_up_to = 0;

			for (size_t k = 0; k < nr; k++) {
				expected_below += sorted[k] < value;
				expected_up_to += sorted[k] <= value;
			}
			ARRAY_SEARCH(below, nr, i, sorted[i] < value);
			ARRAY_SEARCH(up_to, nr, i, sorted[i] <= value);
			assert_int_equal(below, expected_below);
			assert_int_equal(up_to, expected_up_to);
		}
	}
}

static void intmap__keys_of_all_kinds__are_found_again(void **state)
{
	static const int64_t odd[] = { 0, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 32, 64, 128 };
	static char values[ARRAY_SIZE(odd)], many[20000];
	struct intmap map = INTMAP_INIT;

	(void)state;
	assert_null(intmap_get(&map, 0));
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		assert_null(intmap_get(&map, odd[i]));
		intmap_put(&map, odd[i], &values[i]);
	}
	for (int64_t i = 1000; i < 20000; i++)
		intmap_put(&map, i * 4096, &many[i]);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_ptr_equal(intmap_get(&map, odd[i]), &values[i]);
	for (int64_t i = 1000; i < 20000; i++)
		assert_ptr_equal(intmap_get(&map, i * 4096), &many[i]);
	assert_null(intmap_get(&map, 4096));
	assert_int_equal(map.nr, ARRAY_SIZE(odd) + 19000);
	intmap_release(&map);
	assert_null(intmap_get(&map, 64));
}

static void intmap_put__same_key__replaces(void **state)
{
	struct intmap map = INTMAP_INIT;
	char a, b;

	(void)state;
	for (int i = 0; i < 1000; i++)
		intmap_put(&map, 7, i % 2 ? &a : &b);
	assert_ptr_equal(intmap_get(&map, 7), &a);
	assert_int_equal(map.nr, 1);
	assert_true(map.alloc <= 64);
	intmap_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strbuf__fresh__is_an_empty_string),
		cmocka_unit_test(strbuf_add__all_ways__append_and_terminate),
		cmocka_unit_test(strbuf_addf__around_each_growth__keeps_every_byte),
		cmocka_unit_test(strbuf_addf_and_pad__any_length__fits),
		cmocka_unit_test(strbuf_detach__twice__gives_away_and_starts_anew),
		cmocka_unit_test(strbuf_ends_with__borders__count),
		cmocka_unit_test(strvec__fresh__is_an_empty_argv),
		cmocka_unit_test(strvec_push__many__is_always_terminated),
		cmocka_unit_test(strvec_clear__any__is_empty_and_takes_more),
		cmocka_unit_test(strvec_remove__everywhere__keeps_the_order),
		cmocka_unit_test(strvec_sort__bytewise__ends_in_null),
		cmocka_unit_test(array_grow__one_by_one__keeps_what_was_there),
		cmocka_unit_test(array_search__any_size__counts_those_before),
		cmocka_unit_test(intmap__keys_of_all_kinds__are_found_again),
		cmocka_unit_test(intmap_put__same_key__replaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
