#include "analysis/memory_account.h"

#include <stdlib.h>

#include "analysis/page_map.h"
#include "analysis/process_maps.h"
#include "util/alloc.h"
#include "util/wrap.h"

struct memory_account {
	struct tally tally; /* page_account.key is a site */
	struct process_maps maps;
	uint32_t not_sampled; /* the stack of FRAME_NOT_SAMPLED */
	struct memory_estimate estimate;
	int64_t uncounted;
	bool counted; /* the current event has added bytes */
};

/* The product wraps around in a damaged trace, as sums do. */
static int64_t multiply(int64_t bytes, uint32_t weight)
{
	return (int64_t)((uint64_t)bytes * weight);
}

/* The excess that a sampled event counts, as a negative number. */
static int64_t surplus_of(int64_t bytes, uint32_t weight)
{
	return wrap_subtract(bytes, multiply(bytes, weight));
}

/* What bytes count for. */
struct share {
	uint32_t site;
	int64_t bytes, count;
};

struct shares {
	struct share v[2];
	size_t nr;
	bool surplus; /* the last one is what a sampled event counts too much, a negative number */
};

/*
 * A sampled event: its own site gets as much as the events that it stands for, and the memory that has no sampled stack
 * loses the surplus, unless that is filtered out.
 */
static void share(struct memory_account *account, const struct page_account *pages, int64_t bytes,
		  int64_t count, struct shares *shares)
{
	uint32_t weight = pages->weight, site;

	shares->nr = 0;
	shares->surplus = false;
	if (pages->key == GROUP_NONE)
		return;
	if (weight <= 1) {
		shares->v[shares->nr++] = (struct share){ pages->key, bytes, count };
		return;
	}
	if (!pages->rest)
		shares->v[shares->nr++] =
			(struct share){ pages->key, multiply(bytes, weight), count * weight };
	site = sites_find_beside(account->tally.sites, pages->key, account->not_sampled);
	if (site == GROUP_NONE)
		return;
	shares->surplus = true;
	shares->v[shares->nr++] =
		(struct share){ site, surplus_of(bytes, weight), count - count * weight };
}

static void estimate(struct memory_account *account, const struct page_account *to, int64_t bytes,
		     bool surplus)
{
	struct memory_estimate *known = &account->estimate;

	if (!ledger_inside(account->tally.ledger))
		return;
	if (to->weight == 1) {
		wrap_add_to(&known->exact_bytes, bytes);
		return;
	}
	if (!to->rest)
		wrap_add_to(&known->estimated_bytes, multiply(bytes, to->weight));
	if (surplus)
		wrap_add_to(&known->not_sampled_bytes, surplus_of(bytes, to->weight));
}

static void commit_bytes(struct memory_account *account, const struct page_account *to,
			 int64_t bytes)
{
	int64_t count = account->counted ? 0 : 1;
	struct shares shares;

	account->counted = true;
	ledger_whole_add(account->tally.ledger, bytes, count);
	lives_add(&account->tally.lives, to->life, bytes);
	share(account, to, bytes, count, &shares);
	if (!shares.nr)
		return;
	estimate(account, to, bytes, shares.surplus || to->weight <= 1);
	for (size_t i = 0; i < shares.nr; i++)
		sites_add(account->tally.sites, shares.v[i].site, shares.v[i].bytes,
			  shares.v[i].count);
}

static void end_lives(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	struct memory_account *account = data;
	struct region region;
	struct shares shares;

	if (!pages->life)
		return;
	region = lives_end(&account->tally.lives, pages, start, bytes, bytes);
	share(account, pages, bytes, region.life.count, &shares);
	for (size_t i = 0; i < shares.nr; i++) {
		region.life.count = shares.v[i].count;
		tally_lived(&account->tally, shares.v[i].site, shares.v[i].bytes, &region);
	}
}

static void release_bytes(struct memory_account *account, const struct page_account *from,
			  uint64_t start, int64_t bytes)
{
	struct shares shares;

	ledger_whole_remove(account->tally.ledger, bytes, from->inside);
	share(account, from, bytes, 0, &shares);
	for (size_t i = 0; i < shares.nr; i++)
		sites_remove(account->tally.sites, shares.v[i].site, shares.v[i].bytes,
			     from->inside);
	end_lives(account, from, start, bytes);
}

static void change(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	if (bytes > 0)
		commit_bytes(data, pages, bytes);
	else
		release_bytes(data, pages, start, -bytes);
}

struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger, const struct region_sink *sink)
{
	struct memory_account *account = xcalloc(1, sizeof(*account));

	tally_init(&account->tally, machine, grouping, ledger, sink);
	process_maps_init(&account->maps, machine, change, account);
	account->not_sampled = stack_table_push(&machine->stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);
	return account;
}

void memory_account_free(struct memory_account *account)
{
	if (!account)
		return;
	process_maps_release(&account->maps);
	tally_release(&account->tally);
	free(account);
}

/* The site, by the stack in the process that called. */
static uint32_t site_of(struct memory_account *account, const struct trace_event *event,
			struct trace_process *target, uint32_t place)
{
	struct trace_process *caller = target;

	if (event->pid != event->memory.target_pid && grouping_by_stacks(account->tally.grouping))
		caller = machine_process(account->tally.machine, event->pid, event->time_ns);
	return tally_site(&account->tally, place, caller, event->tid, &event->memory.stack);
}

static struct page_account pages_of(struct memory_account *account, const struct trace_event *event,
				    struct trace_process *process)
{
	struct page_account pages = { .weight = 1, .inside = ledger_inside(account->tally.ledger) };
	uint32_t place = tally_place(&account->tally, event, process);

	if (grouping_by_stacks(account->tally.grouping) && place != GROUP_NONE) {
		pages.weight = event->memory.weight;
		account->estimate.sampled |= pages.weight != 1;
		if (account->tally.lives.sink.add && pages.weight > 1)
			pages.weight = 1;
	}
	pages.key = pages.weight ? site_of(account, event, process, place)
				 : sites_find(account->tally.sites, place, account->not_sampled);
	if (pages.key == GROUP_NONE && pages.weight > 1) {
		pages.rest = true;
		pages.key = sites_find(account->tally.sites, place, account->not_sampled);
	}
	if (pages.key != GROUP_NONE && event->memory.op != MEMORY_PURGE)
		pages.life = lives_begin(&account->tally.lives);
	return pages;
}

/* Whether the operation may commit or purge bytes, which are counted for a key. */
static bool may_commit_or_purge(enum memory_op op)
{
	return op == MEMORY_COMMIT || op == MEMORY_COMMIT_RESERVED ||
	       op == MEMORY_COMMIT_UNCOMMITTED || op == MEMORY_MOVE || op == MEMORY_PURGE;
}

/* What is not committed can't be given back. Inherited bytes are counted in the parent, which keeps them. */
static void purge(struct memory_account *account, struct page_map *map,
		  const struct trace_memory *memory, uint32_t key)
{
	int64_t bytes = page_map_committed_in(map, memory->address, memory->length);

	if (!bytes)
		return;
	ledger_whole_purge(account->tally.ledger, bytes);
	if (key != GROUP_NONE)
		sites_purge(account->tally.sites, key, bytes);
}

static void add_uncounted(struct memory_account *account, const struct trace_memory *memory,
			  const struct trace_process *process)
{
	if (memory->op == MEMORY_UNCOUNTED && memory->heap &&
	    ledger_inside(account->tally.ledger) &&
	    grouping_wants(account->tally.grouping, process))
		wrap_add_to(&account->uncounted, (int64_t)memory->length);
}

static void apply_memory(struct memory_account *account, const struct trace_event *event)
{
	const struct trace_memory *memory = &event->memory;
	struct page_account pages = { .key = GROUP_NONE };
	struct trace_process *process;
	struct page_map *map =
		process_maps_get(&account->maps, memory->target_pid, event->time_ns, &process);

	if (!map)
		return;
	add_uncounted(account, memory, process);
	account->tally.lives.end = LIFE_FREED;
	if (may_commit_or_purge(memory->op))
		pages = pages_of(account, event, process);
	if (memory->op == MEMORY_PURGE)
		purge(account, map, memory, pages.key);
	else
		page_map_apply(map, memory, &pages, change, account);
	process_maps_changed(&account->maps, map);
}

bool memory_account_apply(struct memory_account *account, const struct trace_event *event)
{
	/* Samples change no memory. */
	if (event->kind == TRACE_CPU)
		return tally_advance(&account->tally, event);
	if (!tally_begin(&account->tally, event))
		return false;
	account->counted = false;
	if (event->kind == TRACE_MEMORY)
		apply_memory(account, event);
	else
		process_maps_apply(&account->maps, event);
	ledger_commit(account->tally.ledger);
	return true;
}

void memory_account_finish(struct memory_account *account)
{
	lives_finish(&account->tally.lives, &account->maps, end_lives, account);
}

void memory_account_estimate(const struct memory_account *account, struct memory_estimate *result)
{
	*result = account->estimate;
}

const struct tally *memory_account_tally(const struct memory_account *account)
{
	return &account->tally;
}

/* Less is not worth a note, nor is a smaller part of what was committed: compilers with malloc have 0.5 %. */
#define LEAST_HEAP      (INT64_C(50) << 20)
#define LEAST_HEAP_PART 4

bool memory_hides_a_heap(int64_t uncounted, int64_t size)
{
	return uncounted >= LEAST_HEAP && uncounted > size / LEAST_HEAP_PART;
}

int64_t memory_account_uncounted(const struct memory_account *account)
{
	return account->uncounted;
}
