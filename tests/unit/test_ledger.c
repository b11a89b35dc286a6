#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "ledger_model.h"
#include "page_model.h"
#include "util/array.h"

/* An event of one key: bytes committed, or, below zero, released. */
struct change {
	int64_t time_ns;
	uint32_t key; /* GROUP_NONE: filtered out */
	int64_t bytes;
	bool inside; /* of what is released: when it was committed */
};

static void apply(struct ledger *ledger, const struct change *change)
{
	if (!ledger_advance(ledger, change->time_ns))
		return;
	if (change->bytes > 0) {
		ledger_whole_add(ledger, change->bytes, 1);
		if (change->key != GROUP_NONE)
			ledger_key_add(ledger, change->key, change->bytes, 1);
	} else {
		ledger_whole_remove(ledger, -change->bytes, change->inside);
		if (change->key != GROUP_NONE)
			ledger_key_remove(ledger, change->key, -change->bytes, change->inside);
	}
	ledger_commit(ledger);
}

static void run(struct ledger *ledger, const struct change *changes, size_t nr, int64_t from_ns,
		int64_t to_ns, int64_t at_ns)
{
	ledger_init(ledger, from_ns, to_ns, at_ns);
	for (size_t i = 0; i < nr; i++)
		apply(ledger, &changes[i]);
	ledger_finish(ledger);
}

/* In the range 20..60: key 0 has all four kinds, key 1 is held throughout, one is filtered out. */
static const struct change build[] = {
	{ 10, 0, 100, false },           { 11, 0, 40, false },   { 12, 1, 7, false },
	{ 20, 0, 1000, false },          { 21, 0, 300, false },  { 22, 0, -100, false },
	{ 23, GROUP_NONE, 5000, false }, { 24, 0, -1000, true }, { 59, 2, 50, false },
	{ 60, 2, 900000, false },
};

static void ledger__a_range__distinguishes_inside_from_outside(void **state)
{
	struct ledger ledger;
	const struct ledger_entry *key;

	(void)state;
	run(&ledger, build, ARRAY_SIZE(build), 20, 60, 22);
	assert_int_equal(ledger.keys_nr, 3);
	key = &ledger.keys[0];
	assert_int_equal(key->size, 1300);
	assert_int_equal(key->count, 2);
	assert_int_equal(key->freed, 1100);
	assert_int_equal(key->aifi, 1000);
	assert_int_equal(ledger_aifo(key), 300);
	assert_int_equal(key->aofi, 100);
	assert_int_equal(ledger_aofo(key), 40);
	assert_int_equal(key->at_start, 140);
	assert_int_equal(key->at_end, 340);
	assert_int_equal(ledger_impacting(key), 200);
	assert_int_equal(key->at, 1340);
	assert_int_equal(key->peak, 1440);
	assert_int_equal(key->peak_ns, 21);
	assert_int_equal(key->at_peak, 1340);
	assert_int_equal(key->at_own_peak, 1440);
	assert_int_equal(ledger.keys[1].size, 0);
	assert_int_equal(ledger_aofo(&ledger.keys[1]), 7);
	assert_int_equal(ledger.keys[1].peak, 7);
	assert_int_equal(ledger.keys[1].peak_ns, 20);
	assert_int_equal(ledger.keys[1].at_peak, 7);
	assert_int_equal(ledger.keys[2].size, 50);
	assert_int_equal(ledger.keys[2].at, 0);
	assert_int_equal(ledger.keys[2].at_peak, 0);
	assert_int_equal(ledger.whole.peak, 6347);
	assert_int_equal(ledger.whole.peak_ns, 23);
	assert_int_equal(ledger.whole.at_peak, 6347);
	assert_int_equal(ledger.whole.count, 4);
	assert_int_equal(ledger.total.at_peak, 1347);
	assert_int_equal(ledger.keys[1].at_own_peak + ledger.keys[2].at_own_peak, 7);
	assert_int_equal(ledger.total.peak, 1447);
	assert_int_equal(ledger.total.count, 3);
	ledger_release(&ledger);
}

/* What key 0 and the whole have at moments, whatever the range. */
static void ledger__at__is_behind_the_events_of_its_time(void **state)
{
	static const struct {
		int64_t from_ns, to_ns, at_ns;
		int64_t key, whole;
	} cases[] = {
		{ INT64_MIN, INT64_MAX, 9, 0, 0 },
		{ INT64_MIN, INT64_MAX, 10, 100, 100 },
		{ INT64_MIN, INT64_MAX, 59, 340, 5397 },
		{ INT64_MIN, INT64_MAX, 1000, 340, 905397 },
		{ INT64_MIN, INT64_MAX, LEDGER_AT_END, 340, 905397 },
		{ INT64_MIN, INT64_MAX, LEDGER_AT_PEAK, 340, 905397 },
		{ 20, 60, LEDGER_AT_END, 340, 5397 },
		{ 20, 60, LEDGER_AT_PEAK, 1340, 6347 },
		{ 20, 60, LEDGER_AT_OWN_PEAK, 1440, 1447 },
		{ 20, 60, 11, 140, 140 },
		{ 20, 60, 60, 340, 905397 },
		{ 20, 22, 24, 340, 5347 },
		{ 100, 200, 50, 340, 5347 },
		{ 100, 200, LEDGER_AT_PEAK, 340, 905397 },
		{ 60, 20, LEDGER_AT_END, 340, 5397 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ledger ledger;

		run(&ledger, build, ARRAY_SIZE(build), cases[i].from_ns, cases[i].to_ns,
		    cases[i].at_ns);
		assert_int_equal(ledger.keys[0].at, cases[i].key);
		assert_int_equal(ledger.whole.at, cases[i].whole);
		ledger_release(&ledger);
	}
}

static void ledger_advance__after_the_end__is_false(void **state)
{
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 10, 20, 30);
	assert_true(ledger_advance(&ledger, 5));
	assert_false(ledger_inside(&ledger));
	assert_true(ledger_advance(&ledger, 10));
	assert_true(ledger_inside(&ledger));
	assert_true(ledger_advance(&ledger, 8)); /* does not go back */
	assert_true(ledger_inside(&ledger));
	assert_true(ledger_advance(&ledger, 20)); /* the moment is still to come */
	assert_false(ledger_inside(&ledger));
	assert_true(ledger_advance(&ledger, 30));
	assert_false(ledger_advance(&ledger, 31));
	ledger_release(&ledger);
}

static void ledger_commit__release_and_commit_in_one__is_no_peak(void **state)
{
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 0, INT64_MAX, LEDGER_AT_PEAK);
	apply(&ledger, &(struct change){ 1, 0, 100, false });
	ledger_advance(&ledger, 2);
	ledger_whole_add(&ledger, 50, 1);
	ledger_key_add(&ledger, 0, 50, 1);
	ledger_whole_remove(&ledger, 90, true);
	ledger_key_remove(&ledger, 0, 90, true);
	ledger_commit(&ledger);
	ledger_finish(&ledger);
	assert_int_equal(ledger.whole.peak, 100);
	assert_int_equal(ledger.keys[0].peak, 100);
	assert_int_equal(ledger.keys[0].at_peak, 100);
	assert_int_equal(ledger.keys[0].at_end, 60);
	ledger_release(&ledger);
}

static void ledger_purges__inside_the_range__is_counted_apart(void **state)
{
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 10, 20, LEDGER_AT_END);
	ledger_advance(&ledger, 5);
	ledger_whole_purge(&ledger, 1);
	ledger_key_purge(&ledger, 0, 1);
	ledger_advance(&ledger, 15);
	ledger_key_purge(&ledger, 1, 20);
	ledger_whole_purge(&ledger, 320);
	ledger_advance(&ledger, 20);
	ledger_whole_purge(&ledger, 4000);
	ledger_key_purge(&ledger, 1, 4000);
	ledger_finish(&ledger);
	assert_int_equal(ledger.keys[1].purged, 20);
	assert_int_equal(ledger.total.purged, 20);
	assert_int_equal(ledger.whole.purged, 320);
	assert_int_equal(ledger.whole.peak, 0);
	ledger_release(&ledger);
}

static void ledger__sums_too_large__wrap_around(void **state)
{
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 0, INT64_MAX, LEDGER_AT_END);
	ledger_advance(&ledger, 1);
	for (int i = 0; i < 3; i++)
		ledger_key_add(&ledger, 0, INT64_MAX, 1);
	ledger_key_remove(&ledger, 0, INT64_MIN, true);
	ledger_commit(&ledger);
	ledger_finish(&ledger);
	assert_int_equal(ledger.keys[0].count, 3);
	assert_int_equal((uint64_t)ledger_aifo(&ledger.keys[0]) + (uint64_t)ledger.keys[0].aifi,
			 (uint64_t)ledger.keys[0].size);
	ledger_release(&ledger);
}

#define BLOCKS 200
#define EVENTS (2 * BLOCKS)
#define KEYS   4u
#define REST   0u

/* Events at few times, so that several share one. */
static void make_replay(struct replay *replay, uint64_t *seed)
{
	size_t event = 0;

	for (size_t i = 0; i < EVENTS; i++)
		replay->times[i] =
			(i ? replay->times[i - 1] : 0) + (int64_t)(model_random(seed) % 3);
	for (size_t i = 0; i < BLOCKS; i++) {
		struct block *block = &replay->blocks[i];

		event += model_random(seed) % 2 + 1;
		block->key = (uint32_t)(model_random(seed) % (KEYS + 1));
		if (block->key == KEYS)
			block->key = GROUP_NONE;
		block->bytes = 1 + (int64_t)(model_random(seed) % 50);
		block->weight = model_random(seed) % 4 ? 1 : 64;
		block->from = event - 1;
		block->to = event + model_random(seed) % 80;
		if (block->to > EVENTS)
			block->to = EVENTS;
	}
	model_settings(replay, replay->times[EVENTS - 1] + 20, model_random, seed);
}

static void apply_block(struct ledger *ledger, struct block *block, size_t event)
{
	int64_t rest = block->bytes - block->weight * block->bytes;

	if (block->from == event) {
		block->inside = ledger_inside(ledger);
		ledger_whole_add(ledger, block->bytes, 1);
		if (block->key == GROUP_NONE)
			return;
		ledger_key_add(ledger, block->key, block->bytes * block->weight, block->weight);
		if (rest)
			ledger_key_add(ledger, REST, rest, 1 - block->weight);
	} else if (block->to == event) {
		ledger_whole_remove(ledger, block->bytes, block->inside);
		if (block->key == GROUP_NONE)
			return;
		ledger_key_remove(ledger, block->key, block->bytes * block->weight, block->inside);
		if (rest)
			ledger_key_remove(ledger, REST, rest, block->inside);
	}
}

static void run_replay(struct ledger *ledger, struct replay *replay)
{
	ledger_init(ledger, replay->from_ns, replay->to_ns, replay->at_ns);
	ledger_key_add(ledger, KEYS - 1, 0, 0);
	for (size_t event = 0; event < EVENTS; event++) {
		if (!ledger_advance(ledger, replay->times[event]))
			break;
		for (size_t i = 0; i < BLOCKS; i++)
			apply_block(ledger, &replay->blocks[i], event);
		ledger_commit(ledger);
	}
	ledger_finish(ledger);
}

static void ledger__random_replays__are_as_the_blocks_say(void **state)
{
	struct replay replay = { .events = EVENTS, .blocks_nr = BLOCKS, .rest = REST };
	uint64_t seed = 20;

	(void)state;
	replay.times = xcalloc(EVENTS, sizeof(*replay.times));
	replay.blocks = xcalloc(BLOCKS, sizeof(*replay.blocks));
	for (int round = 0; round < 300; round++) {
		struct ledger ledger;

		make_replay(&replay, &seed);
		run_replay(&ledger, &replay);
		check_entry(&replay, &ledger.whole, WHOLE);
		check_entry(&replay, &ledger.total, TOTAL);
		for (uint32_t key = 0; key < KEYS; key++)
			check_entry(&replay, &ledger.keys[key], key);
		ledger_release(&ledger);
	}
	free(replay.times);
	free(replay.blocks);
}

static void ledger_entry_join__two_keys__add_up_but_for_peaks(void **state)
{
	struct ledger_entry one = { .size = 5, .count = 1, .at_peak = 3, .peak = 4, .peak_ns = 9 };
	const struct ledger_entry other = {
		.size = 7, .count = 2, .freed = 6, .at_peak = 1, .peak = 6, .peak_ns = 8
	};
	const struct ledger_entry lower = { .size = 1, .peak = 2, .peak_ns = 7 };

	(void)state;
	ledger_entry_join(&one, &other);
	ledger_entry_join(&one, &lower);
	assert_int_equal(one.size, 13);
	assert_int_equal(one.count, 3);
	assert_int_equal(one.freed, 6);
	assert_int_equal(one.at_peak, 4);
	assert_int_equal(one.peak, 6);
	assert_int_equal(one.peak_ns, 8);
}

static void ledger_keep_steps__ranges_of_steps__are_as_those_of_the_ledger(void **state)
{
	/* Steps of 10 from 0 on: the last change is in the last step, whatever its time. */
	const int64_t edges[] = { INT64_MIN, 0, 10, 20, 30, 40, 50, INT64_MAX };
	struct ledger ledger, range;

	(void)state;
	ledger_init(&ledger, INT64_MIN, INT64_MAX, LEDGER_AT_END);
	ledger_keep_steps(&ledger, 10, ARRAY_SIZE(edges) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(build); i++)
		apply(&ledger, &build[i]);
	ledger_finish(&ledger);
	for (uint32_t from = 1; from < ledger.steps->steps; from++) {
		struct ledger_entry sums[3] = { { 0 } };

		run(&range, build, ARRAY_SIZE(build), edges[from], INT64_MAX, LEDGER_AT_END);
		for (size_t i = 0; i < ledger.steps->nr; i++) {
			const struct ledger_step *step = &ledger.steps->v[i];

			if (step->step < from)
				continue;
			sums[step->key].size += step->size;
			sums[step->key].count += step->count;
			sums[step->key].freed += step->freed;
		}
		for (uint32_t key = 0; key < 3; key++) {
			assert_int_equal(sums[key].size, range.keys[key].size);
			assert_int_equal(sums[key].count, range.keys[key].count);
			assert_int_equal(sums[key].freed, range.keys[key].freed);
		}
		ledger_release(&range);
	}
	ledger_release(&ledger);
}

static void ledger_keep_steps__highest_in_a_step__is_after_an_event_of_it(void **state)
{
	const struct change changes[] = {
		{ 1, 0, 100, false }, { 2, 0, 50, false },   { 3, 0, -120, false },
		{ 11, 0, 10, false }, { 12, 1, 500, false },
	};
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 0, INT64_MAX, LEDGER_AT_END);
	ledger_keep_steps(&ledger, 10, 4);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		apply(&ledger, &changes[i]);
	assert_int_equal(ledger.steps->nr, 3);
	assert_int_equal(ledger.steps->v[0].most, 150);
	assert_int_equal(ledger.steps->v[1].most, 40);
	assert_int_equal(ledger.steps->v[2].most, 500);
	assert_int_equal(ledger.steps->highs[1].bytes, 150);
	assert_int_equal(ledger.steps->highs[1].time_ns, 2);
	assert_int_equal(ledger.steps->highs[2].bytes, 540);
	assert_int_equal(ledger.steps->highs[3].bytes, -1);
	ledger_release(&ledger);
}

/* Keys 0 and 2 belong to one owner, key 1 to another. */
static uint32_t owner_of(void *data, uint32_t key)
{
	++*(int *)data;
	return key % 2;
}

static void ledger_keep_owners__each_at_its_own_peak(void **state)
{
	static const struct change changes[] = {
		{ 1, 0, 100, false },  { 2, 2, 50, false },
		{ 3, 1, 10, false },                         /* owner 0: 150 */
		{ 4, 0, -100, false }, { 5, 1, 900, false }, /* owner 1: 910 */
		{ 6, 2, 60, false },   { 7, 1, -900, false },
		{ 8, 2, 30, false }, /* 140 */
		{ 9, 0, 10, false },   { 9, 2, -140, false },
		{ 9, 1, 5, false }, /* 150 again */
	};
	struct ledger ledger;
	int asked = 0;

	(void)state;
	ledger_init(&ledger, INT64_MIN, INT64_MAX, LEDGER_AT_END);
	ledger_keep_owners(&ledger, owner_of, &asked);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		apply(&ledger, &changes[i]);
	ledger_finish(&ledger);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 0), 100);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 2), 50);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 1), 910);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 77), 0);
	assert_int_equal(asked, 3);
	ledger_release(&ledger);
}

/* What one event changes counts as one change, and what does not change after the peak is held at it. */
static void ledger_keep_owners__one_event__is_one_change(void **state)
{
	struct ledger ledger;
	int asked = 0;

	(void)state;
	ledger_init(&ledger, INT64_MIN, INT64_MAX, LEDGER_AT_END);
	ledger_keep_owners(&ledger, owner_of, &asked);
	ledger_advance(&ledger, 1);
	ledger_key_add(&ledger, 0, 100, 1);
	ledger_key_add(&ledger, 2, 70, 0);
	ledger_key_remove(&ledger, 0, 90, true);
	ledger_commit(&ledger);
	ledger_finish(&ledger);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 0), 10);
	assert_int_equal(ledger_held_at_owners_peak(&ledger, 2), 70);
	ledger_release(&ledger);
}

static void ledger_keep_lifetimes__bytes_by_key_and_class(void **state)
{
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, INT64_MIN, INT64_MAX, LEDGER_AT_END);
	ledger_keep_lifetimes(&ledger, LIFETIMES);
	ledger_lived_in(&ledger, 1, LIFETIME_EXIT, 10);
	ledger_lived_in(&ledger, 1, LIFETIME_EXIT, 5);
	ledger_lived_in(&ledger, 0, LIFETIME_1MS, 7);
	assert_int_equal(ledger_lifetime(&ledger, 1, LIFETIME_EXIT), 15);
	assert_int_equal(ledger_lifetime(&ledger, 0, LIFETIME_1MS), 7);
	assert_int_equal(ledger_lifetime(&ledger, 0, LIFETIME_HELD), 0);
	assert_int_equal(ledger_lifetime(&ledger, 9, LIFETIME_EXIT), 0);
	ledger_release(&ledger);
}

static void ledger_steps_at__moments__are_in_their_steps(void **state)
{
	(void)state;
	assert_int_equal(ledger_steps_at(-1, 10, 4), 0);
	assert_int_equal(ledger_steps_at(0, 10, 4), 1);
	assert_int_equal(ledger_steps_at(9, 10, 4), 1);
	assert_int_equal(ledger_steps_at(10, 10, 4), 2);
	assert_int_equal(ledger_steps_at(29, 10, 4), 3);
	assert_int_equal(ledger_steps_at(INT64_MAX, 1, 4), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ledger__a_range__distinguishes_inside_from_outside),
		cmocka_unit_test(ledger__at__is_behind_the_events_of_its_time),
		cmocka_unit_test(ledger_advance__after_the_end__is_false),
		cmocka_unit_test(ledger_commit__release_and_commit_in_one__is_no_peak),
		cmocka_unit_test(ledger_purges__inside_the_range__is_counted_apart),
		cmocka_unit_test(ledger__sums_too_large__wrap_around),
		cmocka_unit_test(ledger__random_replays__are_as_the_blocks_say),
		cmocka_unit_test(ledger_entry_join__two_keys__add_up_but_for_peaks),
		cmocka_unit_test(ledger_keep_steps__ranges_of_steps__are_as_those_of_the_ledger),
		cmocka_unit_test(ledger_keep_steps__highest_in_a_step__is_after_an_event_of_it),
		cmocka_unit_test(ledger_keep_owners__each_at_its_own_peak),
		cmocka_unit_test(ledger_keep_owners__one_event__is_one_change),
		cmocka_unit_test(ledger_keep_lifetimes__bytes_by_key_and_class),
		cmocka_unit_test(ledger_steps_at__moments__are_in_their_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
