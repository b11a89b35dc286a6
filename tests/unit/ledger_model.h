/*
 * The expected values of a ledger, computed from the life of each block of memory by the definitions: the tests compare
 * ledger and memory_account with them.
 */
#ifndef TESTS_UNIT_LEDGER_MODEL_H
#define TESTS_UNIT_LEDGER_MODEL_H

#include <stdint.h>
#include <stdlib.h>

#include "analysis/group.h"
#include "analysis/ledger.h"
#include "util/array.h"

/* A block of memory, and the events that committed and released it. */
struct block {
	uint32_t key; /* GROUP_NONE: filtered out */
	int64_t bytes, weight;
	/* Numbers of events; `to` is the number of all events if it is never released. */
	size_t from, to;
	bool inside; /* for the test that replays it */
};

struct replay {
	struct block *blocks;
	size_t blocks_nr, blocks_alloc;
	int64_t *times; /* of the events */
	size_t events;
	int64_t from_ns, to_ns, at_ns;
	uint32_t rest; /* the key of memory without a sampled stack */
};

/* Special keys: the whole build, and the sum of all keys. */
#define WHOLE (UINT32_MAX - 1)
#define TOTAL (UINT32_MAX - 2)

static inline int64_t model_share(const struct replay *replay, const struct block *block,
				  uint32_t whose)
{
	int64_t bytes = 0;

	if (whose == WHOLE)
		return block->bytes;
	if (block->key == GROUP_NONE)
		return 0;
	if (whose == TOTAL)
		return block->bytes;
	if (whose == block->key)
		bytes += block->bytes * block->weight;
	if (whose == replay->rest)
		bytes += block->bytes - block->bytes * block->weight;
	return bytes;
}

/* The bytes that are held before each event, and after the last one. */
static inline int64_t *model_held(const struct replay *replay, uint32_t whose)
{
	int64_t *held = xcalloc(replay->events + 2, sizeof(*held));

	for (size_t i = 0; i < replay->blocks_nr; i++) {
		int64_t bytes = model_share(replay, &replay->blocks[i], whose);

		held[replay->blocks[i].from + 1] += bytes;
		held[replay->blocks[i].to + 1] -= bytes;
	}
	for (size_t i = 1; i <= replay->events; i++)
		held[i] += held[i - 1];
	return held;
}

static inline size_t model_first_event(const struct replay *replay, int64_t time_ns)
{
	size_t event = 0;

	while (event < replay->events && replay->times[event] < time_ns)
		event++;
	return event;
}

/* The first event with the highest value. */
static inline size_t model_peak(const int64_t *held, size_t from, size_t to)
{
	size_t best = from;

	for (size_t i = from; i <= to; i++) {
		if (held[i] > held[best])
			best = i;
	}
	return best;
}

static inline void check_flows(const struct replay *replay, const struct ledger_entry *entry,
			       uint32_t whose, size_t from, size_t to)
{
	int64_t aifi = 0, aifo = 0, aofi = 0, aofo = 0;

	for (size_t i = 0; i < replay->blocks_nr; i++) {
		const struct block *block = &replay->blocks[i];
		int64_t bytes = model_share(replay, block, whose);
		bool out = block->to >= from && block->to < to;

		if (block->from < from && block->to >= from)
			*(out ? &aofi : &aofo) += bytes;
		else if (block->from >= from && block->from < to)
			*(out ? &aifi : &aifo) += bytes;
	}
	assert_int_equal(entry->aifi, aifi);
	assert_int_equal(ledger_aifo(entry), aifo);
	assert_int_equal(entry->aofi, aofi);
	assert_int_equal(ledger_aofo(entry), aofo);
	assert_int_equal(entry->size, aifi + aifo);
	assert_int_equal(entry->freed, aifi + aofi);
	assert_int_equal(entry->at_end, aifo + aofo);
	assert_int_equal(entry->at_start, aofi + aofo);
	assert_int_equal(ledger_impacting(entry), aifi + aifo - aifi - aofi);
}

static inline void check_moments(const struct replay *replay, const struct ledger_entry *entry,
				 const int64_t *held, size_t peak, size_t own_peak)
{
	assert_int_equal(entry->at_peak, held[peak]);
	assert_int_equal(entry->at_own_peak, held[own_peak]);
	if (replay->at_ns == LEDGER_AT_PEAK)
		assert_int_equal(entry->at, entry->at_peak);
	else if (replay->at_ns == LEDGER_AT_OWN_PEAK)
		assert_int_equal(entry->at, entry->at_own_peak);
	else if (replay->at_ns == LEDGER_AT_END)
		assert_int_equal(entry->at, entry->at_end);
	else
		assert_int_equal(entry->at, held[model_first_event(replay, replay->at_ns + 1)]);
}

static inline void check_entry(const struct replay *replay, const struct ledger_entry *entry,
			       uint32_t whose)
{
	size_t from = model_first_event(replay, replay->from_ns);
	size_t to = model_first_event(replay, replay->to_ns), own;
	int64_t *whole = model_held(replay, WHOLE), *total = model_held(replay, TOTAL);
	int64_t *held = model_held(replay, whose);

	to = to < from ? from : to;
	own = model_peak(held, from, to);
	check_flows(replay, entry, whose, from, to);
	check_moments(replay, entry, held, model_peak(whole, from, to),
		      model_peak(total, from, to));
	if (!entry->lived)
		assert_int_equal(entry->peak, held[own]);
	if (!entry->lived && entry->peak > entry->at_start)
		assert_int_equal(entry->peak_ns, replay->times[own - 1]);
	free(whole);
	free(total);
	free(held);
}

/* Random settings, for times from 0 to `last_ns`. */
static const int64_t model_moments[] = { LEDGER_AT_PEAK, LEDGER_AT_OWN_PEAK, LEDGER_AT_END };

static inline void model_settings(struct replay *replay, int64_t last_ns,
				  uint64_t (*next)(uint64_t *seed), uint64_t *seed)
{
	replay->from_ns = (int64_t)(next(seed) % (uint64_t)last_ns);
	replay->to_ns = replay->from_ns + (int64_t)(next(seed) % (uint64_t)last_ns);
	replay->at_ns = (int64_t)(next(seed) % (uint64_t)last_ns);
	if (next(seed) % 4 == 0)
		replay->from_ns = INT64_MIN;
	if (next(seed) % 4 == 0)
		replay->to_ns = INT64_MAX;
	if (next(seed) % 3 == 0)
		replay->at_ns = model_moments[next(seed) % ARRAY_SIZE(model_moments)];
}

#endif
