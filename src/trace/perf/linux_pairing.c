#include "trace/perf/linux_pairing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"

#define NONE SIZE_MAX

/* The latest samples of a thread: equal calls, linked by `next`. */
struct group {
	int32_t tid;
	size_t first, last;
};

/* The plain sample of a group that the next copy of an event belongs to. */
struct cursor {
	uint64_t group; /* number of that group */
	size_t plain;
};

struct linux_pairing {
	const struct linux_call_event *events;
	size_t events_nr;
	struct group *groups; /* of the current linux_pairing_run() */
	size_t groups_nr, groups_alloc;
	struct hash_index index; /* of groups, by tid */
	struct cursor *cursors;  /* by event */
	uint64_t closed;

	/* Arguments of the current linux_pairing_run(). */
	const struct perf_sample *samples;
	size_t *partner;
	uint64_t *unmatched;
	size_t *next;
	size_t next_alloc;
};

struct linux_pairing *linux_pairing_new(const struct linux_call_event *events, size_t nr)
{
	struct linux_pairing *pairing = xcalloc(1, sizeof(*pairing));

	pairing->events = events;
	pairing->events_nr = nr;
	pairing->cursors = xcalloc(nr, sizeof(*pairing->cursors));
	return pairing;
}

void linux_pairing_free(struct linux_pairing *pairing)
{
	if (!pairing)
		return;
	free(pairing->groups);
	hash_index_release(&pairing->index);
	free(pairing->cursors);
	free(pairing->next);
	free(pairing);
}

static bool is_copy(const struct linux_pairing *pairing, size_t sample)
{
	return pairing->events[pairing->samples[sample].event].copy;
}

static bool has_stack(const struct perf_sample *sample)
{
	return sample->stack.copy || sample->stack.user_nr;
}

/* Set the copy of a plain sample. Of several copies, that of the first event with a stack is used. */
static void join(struct linux_pairing *pairing, size_t plain, size_t copy)
{
	const struct perf_sample *samples = pairing->samples;
	size_t *partner = &pairing->partner[plain];

	if (*partner != NONE) {
		bool had = has_stack(&samples[*partner]), has = has_stack(&samples[copy]);

		if (had != has ? had : samples[*partner].event <= samples[copy].event)
			return;
	}
	*partner = copy;
}

/* The first plain sample of a group, from `sample` on. */
static size_t find_plain(const struct linux_pairing *pairing, size_t sample)
{
	while (sample != NONE && is_copy(pairing, sample))
		sample = pairing->next[sample];
	return sample;
}

static void close_group(struct linux_pairing *pairing, const struct group *group)
{
	size_t first;

	if (group->first == group->last) {
		*pairing->unmatched += is_copy(pairing, group->first);
		return;
	}
	pairing->closed++;
	first = find_plain(pairing, group->first);
	for (size_t i = group->first; i != NONE; i = pairing->next[i]) {
		struct cursor *cursor = &pairing->cursors[pairing->samples[i].event];

		if (!is_copy(pairing, i))
			continue;
		if (cursor->group != pairing->closed)
			*cursor = (struct cursor){ pairing->closed, first };
		if (cursor->plain == NONE) {
			++*pairing->unmatched;
			continue;
		}
		join(pairing, cursor->plain, i);
		cursor->plain = find_plain(pairing, pairing->next[cursor->plain]);
	}
}

/* Whether two samples are of one hit of a tracepoint, or of equal calls. */
static bool are_alike(const struct linux_pairing *pairing, size_t a, size_t b)
{
	const struct perf_sample *sa = &pairing->samples[a], *sb = &pairing->samples[b];

	return pairing->events[sa->event].call == pairing->events[sb->event].call &&
	       sa->raw_nr == sb->raw_nr && (!sa->raw_nr || !memcmp(sa->raw, sb->raw, sa->raw_nr));
}

/* The index of the thread's group; `latest` is tried first. */
static uint32_t find_group(const struct linux_pairing *pairing, int32_t tid, uint32_t latest)
{
	uint32_t at;

	if (latest != HASH_INDEX_NONE && pairing->groups[latest].tid == tid)
		return latest;
	HASH_INDEX_FIND(at, &pairing->index, (uint32_t)tid, i, pairing->groups[i].tid == tid);
	return at;
}

static uint32_t add_sample(struct linux_pairing *pairing, size_t i, uint32_t latest)
{
	int32_t tid = pairing->samples[i].tid;
	uint32_t at = find_group(pairing, tid, latest);
	struct group *group;

	pairing->next[i] = NONE;
	if (at == HASH_INDEX_NONE) {
		at = (uint32_t)pairing->groups_nr++;
		ARRAY_GROW(pairing->groups, pairing->groups_nr, pairing->groups_alloc);
		pairing->groups[at] = (struct group){ tid, i, i };
		hash_index_add(&pairing->index, (uint32_t)tid, at);
		return at;
	}
	group = &pairing->groups[at];
	if (are_alike(pairing, group->first, i)) {
		pairing->next[group->last] = i;
		group->last = i;
	} else {
		close_group(pairing, group);
		group->first = group->last = i;
	}
	return at;
}

void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched)
{
	uint32_t latest = HASH_INDEX_NONE;

	ARRAY_GROW(pairing->next, nr, pairing->next_alloc);
	pairing->samples = samples;
	pairing->partner = partner;
	pairing->unmatched = unmatched;
	pairing->groups_nr = 0;
	hash_index_release(&pairing->index);
	for (size_t i = 0; i < nr; i++) {
		uint32_t event = samples[i].event;

		partner[i] = NONE;
		if (event < pairing->events_nr && pairing->events[event].call != LINUX_NONE)
			latest = add_sample(pairing, i, latest);
	}
	for (size_t i = 0; i < pairing->groups_nr; i++)
		close_group(pairing, &pairing->groups[i]);
}
