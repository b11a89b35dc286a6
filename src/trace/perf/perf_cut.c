#include "trace/perf/perf_cut.h"

#include "trace/perf/perf_decode.h"
#include "util/fnv.h"
#include "util/text.h"

/* A hit of a tracepoint goes to all its events at once; this far apart they can only be if it was interrupted. */
#define NEAR_NS ((uint64_t)NS_PER_MS)
#define TRIES   64

static bool describe(struct perf_walk *walk, size_t at, struct perf_nearby *nearby)
{
	uint64_t place = walk->queue.v[walk->queue.head + at].place;
	uint32_t event = PERF_EVENT(place);
	const unsigned char *record;
	struct perf_sample sample;
	struct err err = ERR_INIT;
	size_t size;
	bool moved;

	if (event == PERF_NO_EVENT || !walk->file->events.v[event].paired)
		return false;
	record = perf_walk_record(walk, place, &size, &moved, &err);
	err_clear(&err);
	if (!record || !perf_decode_sample(&walk->file->events.v[event], record, size, &sample))
		return false;
	*nearby = (struct perf_nearby){ at, sample.tid, walk->file->events.v[event].config,
					fnv_add(FNV_FIRST, sample.raw, sample.raw_nr), event };
	return true;
}

/* Those from `nr` on, or (`before`) those before it; how many. */
static size_t collect(struct perf_walk *walk, size_t nr, bool before, struct perf_nearby *nearby)
{
	const struct perf_queue *queue = &walk->queue;
	const struct perf_entry *entries = queue->v + queue->head;
	size_t waiting = queue->sorted - queue->head, found = 0;
	size_t room = PERF_CUT_NEAR / 2;

	for (size_t i = 0; i < room && (before ? i < nr : nr + i < waiting); i++) {
		size_t at = before ? nr - 1 - i : nr + i;
		uint64_t apart = before ? entries[nr - 1].time - entries[at].time
					: entries[at].time - entries[nr - 1].time;

		if (apart > NEAR_NS)
			break;
		found += describe(walk, at, &nearby[found]);
	}
	return found;
}

static bool belong_together(const struct perf_nearby *a, const struct perf_nearby *b)
{
	return a->tid == b->tid && a->config == b->config && a->hash == b->hash &&
	       a->event != b->event;
}

/* The first record before the cut that has its fellow behind it; `nr`: none. */
static size_t find_first(const struct perf_nearby *before, size_t before_nr,
			 const struct perf_nearby *behind, size_t behind_nr, size_t nr)
{
	for (size_t i = 0; i < behind_nr; i++) {
		for (size_t j = 0; j < before_nr; j++) {
			if (before[j].at < nr && belong_together(&behind[i], &before[j]))
				nr = before[j].at;
		}
	}
	return nr;
}

size_t perf_cut(struct perf_walk *walk, size_t nr, struct perf_nearby *nearby)
{
	struct perf_nearby *behind = nearby + PERF_CUT_NEAR / 2;
	size_t cut = nr;

	for (int i = 0; i < TRIES && cut; i++) {
		size_t behind_nr = collect(walk, cut, false, behind), first;

		if (!behind_nr)
			return cut;
		first = find_first(nearby, collect(walk, cut, true, nearby), behind, behind_nr,
				   cut);
		if (first == cut)
			return cut;
		cut = first;
	}
	/* Such a chain of calls has no gap: some will lack their stacks. */
	return nr;
}
