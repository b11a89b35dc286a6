#include "trace/perf/linux_pairing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"

#define NONE SIZE_MAX

/* The latest samples of a thread that are all alike, linked by `next`. */
struct group {
	uint64_t run; /* of another run: free */
	int32_t tid;
	size_t first, last;
};

/* Where a copying event is among the plain samples of a group. */
struct cursor {
	uint64_t group; /* which one it is set for */
	size_t plain;
};

struct linux_pairing {
	const struct linux_call_event *events;
	size_t events_nr;
	struct group *groups; /* by tid, open addressing; a power of two */
	size_t groups_nr, groups_alloc;
	struct cursor *cursors; /* by event */
	uint64_t runs, closed;

	/* Of the run. */
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
	free(pairing->cursors);
	free(pairing->next);
	free(pairing);
}

/* The group of `tid`, or the free one where it would go. */
static struct group *probe(const struct linux_pairing *pairing, int32_t tid)
{
	size_t mask = pairing->groups_alloc - 1;
	size_t i = (size_t)((uint32_t)tid * UINT32_C(0x9e3779b1) >> 8) & mask;

	while (pairing->groups[i].run == pairing->runs && pairing->groups[i].tid != tid)
		i = (i + 1) & mask;
	return &pairing->groups[i];
}

static void grow_groups(struct linux_pairing *pairing)
{
	struct group *old = pairing->groups;
	size_t alloc = pairing->groups_alloc;

	pairing->groups_alloc = alloc ? alloc * 2 : 64;
	pairing->groups = xcalloc(pairing->groups_alloc, sizeof(*pairing->groups));
	for (size_t i = 0; i < alloc; i++) {
		if (old[i].run == pairing->runs)
			*probe(pairing, old[i].tid) = old[i];
	}
	free(old);
}

static bool is_copy(const struct linux_pairing *pairing, size_t sample)
{
	return pairing->events[pairing->samples[sample].event].copy;
}

static bool has_stack(const struct perf_sample *sample)
{
	return sample->stack.copy || sample->stack.user_nr;
}

/* Of a large call's copies and a picked one's either does: that of the first event with a stack is kept. */
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

/* From `sample` on, along the group. */
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

/* Of one hit, or of the same call once more. */
static bool are_alike(const struct linux_pairing *pairing, size_t a, size_t b)
{
	const struct perf_sample *sa = &pairing->samples[a], *sb = &pairing->samples[b];

	return pairing->events[sa->event].call == pairing->events[sb->event].call &&
	       sa->raw_nr == sb->raw_nr && (!sa->raw_nr || !memcmp(sa->raw, sb->raw, sa->raw_nr));
}

static struct group *find_group(struct linux_pairing *pairing, int32_t tid, struct group *latest)
{
	if (latest && latest->tid == tid)
		return latest;
	if ((pairing->groups_nr + 1) * 4 > pairing->groups_alloc * 3)
		grow_groups(pairing);
	return probe(pairing, tid);
}

static struct group *add_sample(struct linux_pairing *pairing, size_t i, struct group *latest)
{
	int32_t tid = pairing->samples[i].tid;
	struct group *group = find_group(pairing, tid, latest);

	pairing->next[i] = NONE;
	if (group->run != pairing->runs) {
		*group = (struct group){ pairing->runs, tid, i, i };
		pairing->groups_nr++;
	} else if (are_alike(pairing, group->first, i)) {
		pairing->next[group->last] = i;
		group->last = i;
	} else {
		close_group(pairing, group);
		group->first = group->last = i;
	}
	return group;
}

void linux_pairing_run(struct linux_pairing *pairing, const struct perf_sample *samples, size_t nr,
		       size_t *partner, uint64_t *unmatched)
{
	struct group *latest = NULL;

	ARRAY_GROW(pairing->next, nr, pairing->next_alloc);
	pairing->samples = samples;
	pairing->partner = partner;
	pairing->unmatched = unmatched;
	pairing->groups_nr = 0;
	pairing->runs++;
	for (size_t i = 0; i < nr; i++) {
		uint32_t event = samples[i].event;

		partner[i] = NONE;
		if (event < pairing->events_nr && pairing->events[event].call != LINUX_NONE)
			latest = add_sample(pairing, i, latest);
	}
	for (size_t i = 0; i < pairing->groups_alloc; i++) {
		if (pairing->groups[i].run == pairing->runs)
			close_group(pairing, &pairing->groups[i]);
	}
}
