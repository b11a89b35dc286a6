#include "analysis/lifetime.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/wrap.h"

const char *const life_end_names[] = {
	[LIFE_FREED] = "freed",
	[LIFE_EXEC] = "exec",
	[LIFE_EXIT] = "exit",
	[LIFE_HELD] = "held",
};

const char *const lifetime_names[] = {
	[LIFETIME_1MS] = "<1ms",      [LIFETIME_10MS] = "<10ms",  [LIFETIME_100MS] = "<100ms",
	[LIFETIME_1S] = "<1s",        [LIFETIME_10S] = "<10s",    [LIFETIME_1MIN] = "<1min",
	[LIFETIME_LONGER] = ">=1min", [LIFETIME_EXIT] = "[exit]", [LIFETIME_HELD] = "[held]",
};

enum lifetime region_lifetime(const struct region *region)
{
	static const int64_t below[] = {
		[LIFETIME_1MS] = 1000000,     [LIFETIME_10MS] = 10000000,
		[LIFETIME_100MS] = 100000000, [LIFETIME_1S] = 1000000000,
		[LIFETIME_10S] = 10000000000, [LIFETIME_1MIN] = 60000000000,
	};
	int64_t ns = wrap_subtract(region->end_ns, region->start_ns);
	size_t nr;

	if (region->end == LIFE_HELD)
		return LIFETIME_HELD;
	if (region->end != LIFE_FREED)
		return LIFETIME_EXIT;
	ARRAY_SEARCH(nr, ARRAY_SIZE(below), i, below[i] <= ns);
	return (enum lifetime)nr;
}

void lives_follow(struct lives *lives, struct ledger *ledger, const struct region_sink *sink)
{
	lives->on = true;
	lives->ledger = ledger;
	if (sink)
		lives->sink = *sink;
	ARRAY_ADD(lives->v, lives->nr, lives->alloc, (struct life){ 0 });
}

void lives_release(struct lives *lives)
{
	free(lives->v);
	free(lives->spare);
}

uint32_t lives_begin(struct lives *lives)
{
	uint32_t life = lives->last;

	if (!lives->on)
		return 0;
	if (!life || lives->v[life].held) {
		if (lives->spare_nr) {
			life = lives->spare[--lives->spare_nr];
		} else {
			ARRAY_GROW(lives->v, lives->nr + 1, lives->alloc);
			life = (uint32_t)lives->nr++;
		}
	}
	lives->v[life] = (struct life){ .start_ns = lives->ledger->now_ns,
					.commit = ledger_current_commit(lives->ledger) };
	return lives->last = life;
}

void lives_add(struct lives *lives, uint32_t life, int64_t bytes)
{
	if (life)
		wrap_add_to(&lives->v[life].held, bytes);
}

/* Returns whether they are the first ones of their event that end. */
static bool take(struct lives *lives, uint32_t number, int64_t bytes)
{
	struct life *life = &lives->v[number];
	bool first = !life->ended;

	life->ended = true;
	life->held = wrap_subtract(life->held, bytes);
	if (!life->held && number != lives->last)
		ARRAY_ADD(lives->spare, lives->spare_nr, lives->spare_alloc, number);
	return first;
}

/* A peak is the moment of --at: when a higher one is reached, what ended before it is not held at it. */
static void follow_peak(struct lives *lives)
{
	uint64_t epoch = ledger_epoch_of_at(lives->ledger);

	if (lives->sink.at_moment && epoch != lives->epoch)
		lives->sink.clear(lives->sink.data);
	lives->epoch = epoch;
}

struct ending {
	page_change_fn *end;
	void *data;
};

static void end_held(void *data, uint64_t start, uint64_t end, const struct page_account *pages)
{
	const struct ending *ending = data;

	if (pages)
		ending->end(ending->data, pages, start, (int64_t)(end - start));
}

bool lives_finish_begin(struct lives *lives)
{
	if (!lives->on)
		return false;
	ledger_end(lives->ledger);
	lives->end = LIFE_HELD;
	return true;
}

void lives_finish_end(struct lives *lives)
{
	if (lives->sink.add)
		follow_peak(lives);
}

void lives_finish(struct lives *lives, const struct process_maps *maps, page_change_fn *end,
		  void *data)
{
	struct ending ending = { end, data };

	if (!lives_finish_begin(lives))
		return;
	process_maps_each(maps, end_held, &ending);
	lives_finish_end(lives);
}

static void give(struct lives *lives, const struct region *region)
{
	const struct region_sink *sink = &lives->sink;

	if (!sink->add)
		return;
	follow_peak(lives);
	if (sink->at_moment ? ledger_was_held_at(lives->ledger, region->life.commit)
			    : region->held_inside)
		sink->add(sink->data, region);
}

struct region lives_end(struct lives *lives, const struct page_account *pages, uint64_t address,
			int64_t bytes, int64_t stand_for)
{
	const struct life *life = &lives->v[pages->life];
	struct region region = {
		.address = address,
		.heap = lives->heap,
		.bytes = stand_for,
		.key = pages->key,
		.end = lives->end,
		.start_ns = life->start_ns,
		.end_ns = lives->ledger->now_ns,
		.life = { .commit = life->commit, .inside = pages->inside },
		.ended_inside = ledger_inside(lives->ledger),
		.held_inside = ledger_was_held_inside(lives->ledger, life->commit),
	};

	region.life.count = take(lives, pages->life, bytes);
	give(lives, &region);
	return region;
}
