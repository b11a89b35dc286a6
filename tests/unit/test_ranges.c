#include "util/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Ranges are [10 * k, 10 * k + 5); there is one, with that tag, where tags[k] is not 0. */
#define PLACES 1500u

struct tagged {
	uint64_t start, end;
	uint32_t tag;
};

static void check(const struct ranges *ranges, const uint32_t *tags)
{
	struct range_cursor cursor = { 0, 0 };
	size_t nr = 0;

	for (uint64_t k = 0; k < PLACES; k++) {
		struct range_cursor inside = ranges_find(ranges, 10 * k + 4);
		const struct tagged *at = ranges_get(ranges, &cursor), *found;

		found = ranges_get(ranges, &inside);
		if (!tags[k]) {
			assert_true(!found || found->start > 10 * k);
			continue;
		}
		assert_non_null(at);
		assert_int_equal(at->start, 10 * k);
		assert_int_equal(at->end, 10 * k + 5);
		assert_int_equal(at->tag, tags[k]);
		assert_ptr_equal(found, at);
		ranges_next(ranges, &cursor);
		nr++;
	}
	assert_null(ranges_get(ranges, &cursor));
	assert_int_equal(ranges->nr, nr);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Add or take away at a place; the cursor is where the contract says. */
static void toggle(struct ranges *ranges, uint32_t *tags, uint64_t k, uint32_t tag)
{
	const struct tagged range = { 10 * k, 10 * k + 5, tag };
	struct range_cursor cursor = ranges_find(ranges, 10 * k + 4);
	const struct tagged *at = ranges_get(ranges, &cursor);
	uint64_t following = at ? at->start : UINT64_MAX;

	if (tags[k]) {
		ranges_next(ranges, &cursor);
		at = ranges_get(ranges, &cursor);
		following = at ? at->start : UINT64_MAX;
		cursor = ranges_find(ranges, 10 * k + 4);
		ranges_remove(ranges, &cursor);
		tags[k] = 0;
	} else {
		ranges_insert(ranges, &cursor, &range);
		at = ranges_get(ranges, &cursor);
		assert_int_equal(at->tag, tag);
		ranges_next(ranges, &cursor);
		tags[k] = tag;
	}
	at = ranges_get(ranges, &cursor);
	assert_true((at ? at->start : UINT64_MAX) == following);
}

static void ranges__random_steps__equal_a_table(void **state)
{
	uint32_t tags[PLACES] = { 0 }, seed = 5;
	struct ranges ranges, copy;

	(void)state;
	ranges_init(&ranges, sizeof(struct tagged), NULL);
	ranges_init(&copy, sizeof(struct tagged), NULL);
	check(&ranges, tags);
	for (uint32_t i = 1; i <= 12000; i++) {
		/* Fuller for a while, then emptier: chunks are split and joined. */
		uint64_t k = next(&seed) % PLACES;
		bool fill = i / 3000 % 2 == 0;

		if (fill == !tags[k] || next(&seed) % 4 == 0)
			toggle(&ranges, tags, k, i);
		if (i % 500 == 0) {
			check(&ranges, tags);
			ranges_copy(&copy, &ranges);
			check(&copy, tags);
		}
	}
	ranges_release(&ranges);
	check(&copy, tags);
	ranges_release(&copy);
	assert_int_equal(copy.nr, 0);
}

static void ranges_previous__from_the_end__meets_all(void **state)
{
	struct range_cursor cursor;
	struct ranges ranges;
	uint64_t expected = PLACES;

	(void)state;
	ranges_init(&ranges, sizeof(struct tagged), NULL);
	for (uint64_t k = 0; k < PLACES; k++) {
		cursor = (struct range_cursor){ ranges.chunks, 0 };
		ranges_insert(&ranges, &cursor, &(struct tagged){ 10 * k, 10 * k + 5, 1 });
	}
	cursor = (struct range_cursor){ ranges.chunks, 0 };
	while (ranges_previous(&ranges, &cursor))
		assert_int_equal(((struct tagged *)ranges_get(&ranges, &cursor))->start,
				 10 * --expected);
	assert_int_equal(expected, 0);
	assert_int_equal(cursor.chunk, 0);
	assert_int_equal(cursor.at, 0);
	ranges_release(&ranges);
}

/* The first of a chunk goes on: it is found by its new start. */
static void ranges_moved__start_of_a_chunk__is_found_by_it(void **state)
{
	struct range_cursor cursor = { 0, 0 };
	struct ranges ranges;

	(void)state;
	ranges_init(&ranges, sizeof(struct tagged), NULL);
	for (uint64_t k = PLACES; k-- > 0;) {
		cursor = (struct range_cursor){ 0, 0 };
		ranges_insert(&ranges, &cursor, &(struct tagged){ 10 * k, 10 * k + 5, 1 });
	}
	for (size_t i = 0; i < ranges.chunks; i++) {
		struct tagged *first;
		uint64_t end;

		cursor = (struct range_cursor){ i, 0 };
		first = ranges_get(&ranges, &cursor);
		end = first->end;
		first->start = end - 1;
		ranges_moved(&ranges, &cursor);
		cursor = ranges_find(&ranges, end - 1);
		assert_ptr_equal(ranges_get(&ranges, &cursor), first);
		assert_int_equal(ranges.v[i].start, end - 1);
	}
	ranges_release(&ranges);
}

static size_t asked;

static unsigned bits_of(const void *range)
{
	asked++;
	return 2u << ((const struct tagged *)range)->tag;
}

/* Ranges of tag 0 without gaps, but of tag 1 where k % 997 is 3, and with a gap after them where it is 5. */
static void add_row(struct ranges *ranges, uint64_t nr)
{
	for (uint64_t k = 0; k < nr; k++) {
		struct range_cursor cursor = { ranges->chunks, 0 };
		const struct tagged range = { 10 * k, 10 * k + (k % 997 == 5 ? 9 : 10),
					      k % 997 == 3 };

		ranges_insert(ranges, &cursor, &range);
	}
}

/* Count the ranges from the first one on that skipping leaves. */
static size_t count_left(const struct ranges *ranges, unsigned wanted, uint64_t end, size_t *found)
{
	struct range_cursor cursor = { 0, 0 };
	const struct tagged *at;
	size_t nr = 0;

	for (*found = 0;; nr++, ranges_next(ranges, &cursor)) {
		struct range_cursor next;

		ranges_skip(ranges, &cursor, wanted, end);
		at = ranges_get(ranges, &cursor);
		if (!at || at->start >= end)
			return nr;
		next = cursor;
		ranges_next(ranges, &next);
		if (wanted == RANGES_GAP)
			*found += ranges_get(ranges, &next) &&
				  at->end != ((struct tagged *)ranges_get(ranges, &next))->start;
		else
			*found += (bits_of(at) & wanted) != 0;
	}
}

static void ranges_skip__few_wanted_of_many__meets_them_and_few_others(void **state)
{
	const uint64_t nr = 997 * 50;
	struct range_cursor cursor;
	struct ranges ranges;
	size_t found;

	(void)state;
	ranges_init(&ranges, sizeof(struct tagged), bits_of);
	add_row(&ranges, nr);
	assert_in_range(count_left(&ranges, 2u << 1, UINT64_MAX, &found), 50, 50 * 64);
	assert_int_equal(found, 50);
	assert_in_range(count_left(&ranges, RANGES_GAP, UINT64_MAX, &found), 50, 50 * 64 * 2);
	assert_int_equal(found, 50);
	assert_in_range(count_left(&ranges, 2u << 2, 10 * 997, &found), 0, 64);
	assert_int_equal(found, 0);

	/* Once known, nothing is looked at again, but the chunk that changed. */
	cursor = (struct range_cursor){ 0, 0 };
	asked = 0;
	ranges_skip(&ranges, &cursor, 2u << 2, UINT64_MAX);
	assert_null(ranges_get(&ranges, &cursor));
	assert_int_equal(asked, 0);
	cursor = ranges_find(&ranges, 10 * 20000);
	((struct tagged *)ranges_get(&ranges, &cursor))->tag = 2;
	ranges_moved(&ranges, &cursor);
	assert_in_range(count_left(&ranges, 2u << 2, UINT64_MAX, &found), 1, 64);
	assert_int_equal(found, 1);
	assert_in_range(asked, 1, 200);
	ranges_release(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges__random_steps__equal_a_table),
		cmocka_unit_test(ranges_previous__from_the_end__meets_all),
		cmocka_unit_test(ranges_skip__few_wanted_of_many__meets_them_and_few_others),
		cmocka_unit_test(ranges_moved__start_of_a_chunk__is_found_by_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
