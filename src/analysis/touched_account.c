#include "analysis/touched_account.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/lifetime.h"
#include "analysis/page_map.h"
#include "analysis/process_maps.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/page_sampling.h"

/* A range of a map that is to be released. */
struct span {
	uint64_t start, end;
};

/* In the maps, touched pages are committed, and shared memory is reserved. */
struct touched_account {
	struct tally tally; /* page_account.key is a site */
	struct process_maps maps;
	struct touched_sample sample;
	/* Bytes at unknown addresses: they get some, from the end of the map down. */
	uint64_t unknown;
	struct span *purged; /* by the current event */
	size_t purged_nr, purged_alloc;
};

static void end_lives(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	struct touched_account *account = data;
	struct region region;

	if (!pages->life)
		return;
	region = lives_end(&account->tally.lives, pages, start, bytes, bytes * pages->weight);
	tally_lived(&account->tally, pages->key, region.bytes, &region);
}

static void change(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	struct touched_account *account = data;
	int64_t all = (bytes < 0 ? -bytes : bytes) * pages->weight;

	if (bytes > 0) {
		ledger_whole_add(account->tally.ledger, all, 1);
		lives_add(&account->tally.lives, pages->life, bytes);
		if (pages->key != GROUP_NONE)
			sites_add(account->tally.sites, pages->key, all, 1);
	} else {
		ledger_whole_remove(account->tally.ledger, all, pages->inside);
		if (pages->key != GROUP_NONE)
			sites_remove(account->tally.sites, pages->key, all, pages->inside);
		end_lives(account, pages, start, -bytes);
	}
}

struct touched_account *touched_account_new(struct machine *machine, struct grouping *grouping,
					    struct ledger *ledger, const struct region_sink *sink)
{
	struct touched_account *account = xcalloc(1, sizeof(*account));

	tally_init(&account->tally, machine, grouping, ledger, sink);
	process_maps_init(&account->maps, machine, change, account);
	return account;
}

void touched_account_free(struct touched_account *account)
{
	if (!account)
		return;
	process_maps_release(&account->maps);
	tally_release(&account->tally);
	free(account->purged);
	free(account);
}

static struct page_account pages_of(struct touched_account *account,
				    const struct trace_event *event, struct trace_process *process)
{
	struct page_account pages = { .weight = event->touch.one_in,
				      .inside = ledger_inside(account->tally.ledger) };
	uint32_t place = tally_place(&account->tally, event, process);

	pages.key = tally_site(&account->tally, place, process, event->tid, &event->touch.stack);
	if (pages.key != GROUP_NONE)
		pages.life = lives_begin(&account->tally.lives);
	return pages;
}

/* What the map has at the start of a page. */
struct page_state {
	bool shared, touched;
};

static void see_page(void *data, uint64_t start, uint64_t end, const struct page_account *account)
{
	struct page_state *state = data;

	(void)start;
	(void)end;
	state->shared = !account;
	state->touched = account && !account->inherited;
}

static struct page_state state_of(struct page_map *map, uint64_t address)
{
	struct page_state state = { false, false };

	page_map_each(map, address, 1, see_page, &state);
	return state;
}

/* Only those that the filter lets through, in the range. */
static void count_page(struct touched_account *account, const struct page_account *pages)
{
	struct touched_sample *sample = &account->sample;

	if (pages->weight > 1)
		sample->one_in = pages->weight;
	if (pages->key == GROUP_NONE || !pages->inside)
		return;
	sample->pages += pages->weight > 1;
	sample->large_pages += pages->weight == 1;
}

static void touch(struct touched_account *account, const struct trace_event *event)
{
	uint64_t address = event->touch.address;
	struct trace_process *process;
	struct page_map *map =
		process_maps_get(&account->maps, event->pid, event->time_ns, &process);
	struct page_account pages;
	struct page_state state;

	if (!map)
		return;
	account->tally.lives.end = LIFE_FREED;
	if (address == TRACE_TOUCH_UNKNOWN)
		address = PAGE_MAP_END - (account->unknown += event->touch.length);
	state = state_of(map, address);
	/* The fault of a large page may have been in the sample: now it is a part of that page. */
	if (!state.shared && (!state.touched || event->touch.one_in == 1)) {
		pages = pages_of(account, event, process);
		count_page(account, &pages);
		page_map_commit(map, address, event->touch.length, &pages, change, account);
	}
	process_maps_changed(&account->maps, map);
}

/* Remember a range that is touched, also one of the parent. */
static void see_touched(void *data, uint64_t start, uint64_t end, const struct page_account *pages)
{
	struct touched_account *account = data;

	if (pages)
		ARRAY_ADD(account->purged, account->purged_nr, account->purged_alloc,
			  (struct span){ start, end });
}

static void purge(struct touched_account *account, struct page_map *map,
		  const struct trace_memory *memory)
{
	if (memory->keep)
		return;
	account->purged_nr = 0;
	page_map_each(map, memory->address, memory->length, see_touched, account);
	for (size_t i = 0; i < account->purged_nr; i++)
		page_map_release(map, account->purged[i].start,
				 account->purged[i].end - account->purged[i].start, change,
				 account);
}

/* What a mapping grows by is not touched yet. */
static void move(struct touched_account *account, struct page_map *map,
		 const struct trace_memory *memory)
{
	const struct page_account none = { .key = GROUP_NONE };
	uint64_t from = memory->length, to = memory->to_length;
	uint64_t moved = from < to ? from : to;

	if (to > from && from >= PAGE_SAMPLING_BYTES &&
	    state_of(map, memory->address + from - PAGE_SAMPLING_BYTES).shared)
		moved = to;
	page_map_move(map, memory->address, from, memory->to, moved, false, &none, change, account);
	if (to > moved)
		page_map_release(map, memory->to + moved, to - moved, change, account);
}

static void apply_memory(struct touched_account *account, const struct trace_event *event)
{
	const struct trace_memory *memory = &event->memory;
	struct trace_process *process;
	struct page_map *map =
		process_maps_get(&account->maps, memory->target_pid, event->time_ns, &process);

	if (!map)
		return;
	account->tally.lives.end = LIFE_FREED;
	switch (memory->op) {
	case MEMORY_RESERVE:
	case MEMORY_COMMIT:
	case MEMORY_RELEASE:
		page_map_release(map, memory->address, memory->length, change, account);
		break;
	case MEMORY_UNCOUNTED:
		if (memory->shared)
			page_map_reserve(map, memory->address, memory->length, change, account);
		else
			page_map_release(map, memory->address, memory->length, change, account);
		break;
	case MEMORY_MOVE:
		move(account, map, memory);
		break;
	case MEMORY_PURGE:
		purge(account, map, memory);
		break;
	case MEMORY_COMMIT_RESERVED:
	case MEMORY_COMMIT_UNCOMMITTED:
	case MEMORY_DECOMMIT:
		break;
	}
	process_maps_changed(&account->maps, map);
}

bool touched_account_apply(struct touched_account *account, const struct trace_event *event)
{
	if (!tally_begin(&account->tally, event))
		return false;
	if (event->kind == TRACE_TOUCH)
		touch(account, event);
	else if (event->kind == TRACE_MEMORY)
		apply_memory(account, event);
	else
		process_maps_apply(&account->maps, event);
	ledger_commit(account->tally.ledger);
	return true;
}

void touched_account_finish(struct touched_account *account)
{
	lives_finish(&account->tally.lives, &account->maps, end_lives, account);
}

void touched_account_sample(const struct touched_account *account, struct touched_sample *sample)
{
	*sample = account->sample;
}

/* That a page is in the sample or not is like a throw of dice: the standard error of n pages is about sqrt(n) pages. */
int64_t touched_error(const struct touched_sample *sample, int64_t bytes)
{
	double page = (double)sample->one_in * PAGE_SAMPLING_BYTES;

	return bytes > 0 ? llround(sqrt((double)bytes * page)) : 0;
}

const struct tally *touched_account_tally(const struct touched_account *account)
{
	return &account->tally;
}
