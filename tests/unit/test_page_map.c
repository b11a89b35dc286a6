#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/page_map.h"
#include "page_model.h"
#include "util/array.h"
#include "util/strbuf.h"

#define KEYS 4

/* Sums of the changes that the map reports; `pages` are sums of page numbers. */
struct changes {
	int64_t committed[KEYS], released[KEYS];
	uint64_t committed_pages, released_pages;
};

static uint64_t sum_pages(uint64_t start, int64_t bytes)
{
	uint64_t nr = (uint64_t)bytes / MODEL_PAGE;

	return start / MODEL_PAGE * nr + nr * (nr - 1) / 2;
}

static void note(void *data, const struct page_account *account, uint64_t start, int64_t bytes)
{
	struct changes *changes = data;

	assert_in_range(account->key, 0, KEYS - 1);
	assert_false(account->inherited);
	assert_int_not_equal(bytes, 0);
	if (bytes > 0) {
		changes->committed[account->key] += bytes;
		changes->committed_pages += sum_pages(start, bytes);
	} else {
		changes->released[account->key] -= bytes;
		changes->released_pages += sum_pages(start, -bytes);
	}
}

static const struct page_account one = { .key = 1, .weight = 1 }, two = { .key = 2, .weight = 1 };

/* Bytes that are committed and released on the two accounts, and what is left in the end. */
struct step {
	enum model_op op;
	uint64_t start, length;
	const struct page_account *account;
	int64_t committed1, committed2, released1, released2;
	size_t ranges;
};

static void apply(struct page_map *map, const struct step *step, struct changes *changes)
{
	switch (step->op) {
	case MODEL_RESERVE:
		page_map_reserve(map, step->start, step->length, note, changes);
		break;
	case MODEL_COMMIT:
		page_map_commit(map, step->start, step->length, step->account, note, changes);
		break;
	case MODEL_COMMIT_RESERVED:
		page_map_commit_reserved(map, step->start, step->length, step->account, note,
					 changes);
		break;
	case MODEL_COMMIT_UNCOMMITTED:
		page_map_commit_uncommitted(map, step->start, step->length, step->account, note,
					    changes);
		break;
	case MODEL_DECOMMIT:
		page_map_decommit(map, step->start, step->length, note, changes);
		break;
	default:
		page_map_release(map, step->start, step->length, note, changes);
		break;
	}
}

static void expect(const struct step *steps, size_t nr)
{
	struct page_map *map = page_map_new();

	for (size_t i = 0; i < nr; i++) {
		struct changes changes = { .committed = { 0 } };

		apply(map, &steps[i], &changes);
		assert_int_equal(changes.committed[1], steps[i].committed1);
		assert_int_equal(changes.committed[2], steps[i].committed2);
		assert_int_equal(changes.released[1], steps[i].released1);
		assert_int_equal(changes.released[2], steps[i].released2);
		assert_int_equal(page_map_ranges(map), steps[i].ranges);
	}
	page_map_free(map);
}

static void page_map_commit_reserved__an_arena_grows__is_two_ranges(void **state)
{
	static const struct step steps[] = {
		{ MODEL_RESERVE, 0x4000000, 0x4000000, NULL, 0, 0, 0, 0, 1 },
		{ MODEL_COMMIT_RESERVED, 0x4000000, 0x21000, &one, 0x21000, 0, 0, 0, 2 },
		{ MODEL_COMMIT_RESERVED, 0x4021000, 0x1000, &one, 0x1000, 0, 0, 0, 2 },
		{ MODEL_COMMIT_RESERVED, 0x4020000, 0x3000, &one, 0x1000, 0, 0, 0, 2 },
		{ MODEL_COMMIT_RESERVED, 0x4023000, 0x1000, &two, 0, 0x1000, 0, 0, 3 },
		{ MODEL_COMMIT_RESERVED, 0x4000000, 0x4000000, &two, 0, 0x3fdc000, 0, 0, 2 },
		{ MODEL_COMMIT_RESERVED, 0x4000000, 0x8000000, &two, 0, 0, 0, 0, 2 },
		{ MODEL_RELEASE, 0, UINT64_MAX, NULL, 0, 0, 0x23000, 0x3fdd000, 0 },
	};

	(void)state;
	expect(steps, ARRAY_SIZE(steps));
}

static void page_map_commit__over_others__releases_them(void **state)
{
	static const struct step steps[] = {
		{ MODEL_COMMIT, 0x10000, 0x4000, &one, 0x4000, 0, 0, 0, 1 },
		{ MODEL_COMMIT, 0x11000, 0x1000, &two, 0, 0x1000, 0x1000, 0, 3 },
		{ MODEL_COMMIT, 0x11000, 0x1000, &one, 0x1000, 0, 0, 0x1000, 1 },
		{ MODEL_RESERVE, 0x12000, 0x1000, NULL, 0, 0, 0x1000, 0, 3 },
		{ MODEL_COMMIT_UNCOMMITTED, 0xf000, 0x8000, &two, 0, 0x5000, 0, 0, 5 },
		{ MODEL_DECOMMIT, 0xe000, 0x3000, NULL, 0, 0, 0x1000, 0x1000, 5 },
		{ MODEL_COMMIT, 0xf000, 0x8000, &two, 0, 0x8000, 0x2000, 0x4000, 1 },
	};

	(void)state;
	expect(steps, ARRAY_SIZE(steps));
}

static void page_map__senseless_addresses__are_cut(void **state)
{
	static const int64_t most = PAGE_MAP_END;
	const struct step steps[] = {
		{ MODEL_COMMIT, 0x1000, 0, &one, 0, 0, 0, 0, 0 },
		{ MODEL_COMMIT, UINT64_MAX, UINT64_MAX, &one, 0, 0, 0, 0, 0 },
		{ MODEL_COMMIT, PAGE_MAP_END, 0x1000, &one, 0, 0, 0, 0, 0 },
		{ MODEL_COMMIT_UNCOMMITTED, PAGE_MAP_END + 5, 0x1000, &one, 0, 0, 0, 0, 0 },
		{ MODEL_RESERVE, UINT64_MAX - 0x1000, 0x2000, NULL, 0, 0, 0, 0, 0 },
		{ MODEL_COMMIT, PAGE_MAP_END - 0x1000, 0x2000, &one, 0x1000, 0, 0, 0, 1 },
		{ MODEL_COMMIT, 0x1000, UINT64_MAX, &two, 0, most - 0x1000, 0x1000, 0, 1 },
		{ MODEL_COMMIT_RESERVED, 0, UINT64_MAX, &one, 0, 0, 0, 0, 1 },
		{ MODEL_COMMIT_UNCOMMITTED, 0, UINT64_MAX, &one, 0x1000, 0, 0, 0, 2 },
		{ MODEL_DECOMMIT, 0, 0, NULL, 0, 0, 0, 0, 2 },
		{ MODEL_DECOMMIT, 0, UINT64_MAX, NULL, 0, 0, 0x1000, most - 0x1000, 1 },
		{ MODEL_RELEASE, UINT64_MAX, 1, NULL, 0, 0, 0, 0, 1 },
		{ MODEL_RELEASE, 0, UINT64_MAX, NULL, 0, 0, 0, 0, 0 },
	};

	(void)state;
	expect(steps, ARRAY_SIZE(steps));
}

static void page_map_move__senseless_addresses__are_cut(void **state)
{
	struct page_map *map = page_map_new();
	struct changes changes = { .committed = { 0 } };

	(void)state;
	page_map_commit(map, 0x1000, 0x3000, &one, note, &changes);
	page_map_move(map, 0x1000, 0x3000, PAGE_MAP_END - 0x2000, 0x3000, false, &one, note,
		      &changes);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), 0x2000);
	page_map_move(map, PAGE_MAP_END - 0x2000, UINT64_MAX, 0, UINT64_MAX, false, &two, note,
		      &changes);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), PAGE_MAP_END);
	assert_int_equal(changes.committed[2], PAGE_MAP_END - 0x2000);
	page_map_move(map, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, true, &two, note, &changes);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), 0);
	page_map_move(map, 0, 0, 0x1000, 0x1000, true, &two, note, &changes);
	assert_int_equal(page_map_ranges(map), 0);
	page_map_free(map);
}

static void page_map_move__elsewhere__keeps_accounts(void **state)
{
	struct page_map *map = page_map_new();
	struct changes changes = { .committed = { 0 } };

	(void)state;
	page_map_commit(map, 0x10000, 0x2000, &one, note, &changes);
	page_map_reserve(map, 0x12000, 0x1000, note, &changes);
	page_map_commit(map, 0x13000, 0x1000, &two, note, &changes);
	page_map_commit(map, 0x30000, 0x8000, &two, note, &changes);
	memset(&changes, 0, sizeof(changes));
	page_map_move(map, 0x10000, 0x4000, 0x31000, 0x6000, false, &one, note, &changes);
	assert_int_equal(changes.released[2], 0x6000);
	assert_int_equal(changes.committed[1], 0x2000);
	assert_int_equal(changes.released[1] + changes.committed[2], 0);
	memset(&changes, 0, sizeof(changes));
	page_map_release(map, 0x31000, 0x6000, note, &changes);
	assert_int_equal(changes.released[1], 0x4000);
	assert_int_equal(changes.released[2], 0x1000);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), 0x2000);
	page_map_free(map);
}

static void page_map_copy__then_changes__count_in_one_only(void **state)
{
	struct page_map *parent = page_map_new(), *child, *grandchild;
	struct changes changes = { .committed = { 0 } };

	(void)state;
	page_map_commit(parent, 0x10000, 0x4000, &one, note, &changes);
	page_map_commit(parent, 0x14000, 0x4000, &two, note, &changes);
	page_map_reserve(parent, 0x18000, 0x4000, note, &changes);
	child = page_map_copy(parent);
	grandchild = page_map_copy(child);
	assert_int_equal(page_map_committed_in(child, 0, PAGE_MAP_END), 0);

	memset(&changes, 0, sizeof(changes));
	page_map_commit_reserved(child, 0x10000, 0xa000, &two, note, &changes);
	assert_int_equal(changes.committed[2], 0x2000);
	page_map_commit(child, 0x10000, 0x1000, &one, note, &changes);
	assert_int_equal(changes.committed[1], 0x1000);
	page_map_release(child, 0, UINT64_MAX, note, &changes);
	assert_int_equal(changes.released[1], 0x1000);
	assert_int_equal(changes.released[2], 0x2000);
	assert_int_equal(page_map_ranges(child), 0);

	memset(&changes, 0, sizeof(changes));
	page_map_release_all(grandchild, note, &changes);
	assert_int_equal(changes.released[1] + changes.released[2], 0);
	page_map_release_all(parent, note, &changes);
	assert_int_equal(changes.released[1], 0x4000);
	assert_int_equal(changes.released[2], 0x4000);
	assert_int_equal(page_map_committed_in(parent, 0, PAGE_MAP_END), 0);
	page_map_free(parent);
	page_map_free(child);
	page_map_free(grandchild);
	page_map_free(NULL);
}

static void page_map__hundred_thousand_ranges__are_found(void **state)
{
	enum { NR = 100000 };
	struct page_map *map = page_map_new();
	struct changes changes = { .committed = { 0 } };
	uint64_t at = 0;

	(void)state;
	for (unsigned i = 0; i < NR; i++) {
		at = (at + 61803) % NR;
		page_map_commit(map, at * 0x2000, 0x1000, &one, note, &changes);
	}
	assert_int_equal(page_map_ranges(map), NR);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), NR * INT64_C(0x1000));
	for (unsigned i = 0; i < NR; i += 2)
		page_map_release(map, i * UINT64_C(0x2000), 0x2000, note, &changes);
	assert_int_equal(page_map_ranges(map), NR / 2);
	page_map_commit_uncommitted(map, 0, NR * UINT64_C(0x2000), &one, note, &changes);
	assert_int_equal(page_map_ranges(map), 1);
	assert_int_equal(page_map_committed_in(map, 0, PAGE_MAP_END), NR * INT64_C(0x2000));
	page_map_free(map);
}

/* Thousands of millions of steps if each call looked at each range: minutes. */
static void page_map__calls_over_many_ranges_that_stay__are_cheap(void **state)
{
	enum { NR = 50000 };
	struct page_map *map = page_map_new();
	struct changes changes = { .committed = { 0 } };

	(void)state;
	for (unsigned i = 0; i < NR; i++)
		page_map_commit(map, i * UINT64_C(0x2000), 0x1000, &one, note, &changes);
	for (unsigned i = 0; i < NR; i++)
		page_map_commit_reserved(map, 0, NR * UINT64_C(0x2000), &two, note, &changes);
	assert_int_equal(changes.committed[1], NR * INT64_C(0x1000));
	for (unsigned i = 0; i < NR; i++)
		page_map_decommit(map, 0, NR * UINT64_C(0x2000), note, &changes);
	assert_int_equal(changes.released[1], NR * INT64_C(0x1000));
	assert_int_equal(page_map_ranges(map), NR);
	for (unsigned i = 0; i < NR; i++)
		page_map_commit(map, i * UINT64_C(0x1000), 0x1000, i % 2 ? &one : &two, note,
				&changes);
	memset(&changes, 0, sizeof(changes));
	for (unsigned i = 0; i < NR; i++)
		page_map_commit_uncommitted(map, 0, NR * UINT64_C(0x1000), &two, note, &changes);
	assert_int_equal(changes.committed[1] + changes.committed[2], 0);
	assert_int_equal(changes.released[1] + changes.released[2], 0);
	page_map_free(map);
}

static void page_map_take_steps__calls_over_many_ranges__has_what_they_went_through(void **state)
{
	enum { NR = 1000 };
	const uint64_t length = NR * UINT64_C(0x2000);
	struct page_map *map = page_map_new(), *child;
	struct changes changes = { .committed = { 0 } };

	(void)state;
	for (unsigned i = 0; i < NR; i++)
		page_map_commit(map, i * UINT64_C(0x2000), 0x1000, &one, note, &changes);
	assert_int_equal(page_map_take_steps(map), 0);
	page_map_move(map, 0, length, length, length, false, &one, note, &changes);
	assert_int_equal(page_map_take_steps(map), 2 * NR);
	assert_int_equal(page_map_committed_in(map, length, length), NR * 0x1000);
	assert_int_equal(page_map_take_steps(map), NR);
	assert_int_equal(page_map_take_steps(map), 0);

	/* A child costs nothing until it has ranges of its own. */
	child = page_map_copy(map);
	assert_int_equal(page_map_take_steps(child), 0);
	page_map_commit(child, 0, 0x1000, &one, note, &changes);
	assert_int_equal(page_map_take_steps(child), NR);
	page_map_free(child);

	/* Few steps where whole chunks are skipped. */
	page_map_commit_reserved(map, length, length, &two, note, &changes);
	assert_in_range(page_map_take_steps(map), NR / 64, NR / 8);
	page_map_release_all(map, note, &changes);
	assert_int_equal(page_map_take_steps(map), NR);
	page_map_free(map);
}

static void add_part(void *data, uint64_t start, uint64_t end, const struct page_account *account)
{
	strbuf_addf(data, "%x-%x ", (unsigned)start, (unsigned)end);
	if (!account)
		strbuf_adds(data, "reserved\n");
	else if (account->inherited)
		strbuf_adds(data, "inherited\n");
	else
		strbuf_addf(data, "%u\n", account->key);
}

static void page_map_each__within_a_range__reports_parts(void **state)
{
	struct page_map *map = page_map_new(), *child;
	struct changes changes = { .committed = { 0 } };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	page_map_commit(map, 0x1000, 0x3000, &one, note, &changes);
	page_map_commit(map, 0x4000, 0x1000, &two, note, &changes);
	page_map_reserve(map, 0x8000, 0x4000, note, &changes);
	child = page_map_copy(map);
	page_map_each(map, 0x2000, 0x7000, add_part, &text);
	page_map_each(map, 0x5000, 0x3000, add_part, &text);
	page_map_each(child, 0x4000, 0x4000, add_part, &text);
	page_map_commit(child, 0x4000, 0x1000, &one, note, &changes);
	page_map_each(child, 0, UINT64_MAX, add_part, &text);
	assert_string_equal(text.buf, "2000-4000 1\n"
				      "4000-5000 2\n"
				      "8000-9000 reserved\n"
				      "4000-5000 inherited\n"
				      "1000-4000 inherited\n"
				      "4000-5000 1\n"
				      "8000-c000 reserved\n");
	strbuf_release(&text);
	page_map_free(map);
	page_map_free(child);
}

static void compare(const struct changes *changes, const struct changes *model)
{
	assert_memory_equal(changes, model, sizeof(*changes));
}

static void run_random(uint64_t seed, unsigned calls, unsigned longest)
{
	struct page_map *map = page_map_new();
	struct model_map *model = xcalloc(1, sizeof(*model));

	for (unsigned i = 0; i < calls; i++) {
		struct model_call call = model_random_call(&seed, longest);
		struct changes changes = { .committed = { 0 } }, right = { .committed = { 0 } };

		if (model_random(&seed) % 200 == 0) {
			struct page_map *child = page_map_copy(map);

			/* either goes on, with the other one gone before or after */
			if (model_random(&seed) % 2) {
				page_map_free(map);
				map = child;
				model_fork(model, model);
			} else {
				page_map_free(child);
			}
		}
		model_call_map(map, &call, note, &changes);
		model_apply(model, &call, note, &right);
		page_map_commit_reserved(map, 0, 0, &one, note, &changes); /* its own from now on */
		compare(&changes, &right);
		assert_int_equal(page_map_ranges(map), model_ranges(model));
	}
	page_map_free(map);
	free(model);
}

static void page_map__random_calls__equal_single_pages(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		run_random(seed, 3000, seed % 2 ? 12 : 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_map_commit_reserved__an_arena_grows__is_two_ranges),
		cmocka_unit_test(page_map_commit__over_others__releases_them),
		cmocka_unit_test(page_map__senseless_addresses__are_cut),
		cmocka_unit_test(page_map_move__senseless_addresses__are_cut),
		cmocka_unit_test(page_map_move__elsewhere__keeps_accounts),
		cmocka_unit_test(page_map_copy__then_changes__count_in_one_only),
		cmocka_unit_test(page_map__hundred_thousand_ranges__are_found),
		cmocka_unit_test(page_map__calls_over_many_ranges_that_stay__are_cheap),
		cmocka_unit_test(
			page_map_take_steps__calls_over_many_ranges__has_what_they_went_through),
		cmocka_unit_test(page_map_each__within_a_range__reports_parts),
		cmocka_unit_test(page_map__random_calls__equal_single_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
