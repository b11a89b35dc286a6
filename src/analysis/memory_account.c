#include "analysis/memory_account.h"

#include <stdlib.h>

#include "analysis/page_map.h"
#include "analysis/process_maps.h"
#include "analysis/sites.h"
#include "util/alloc.h"
#include "util/wrap.h"

struct memory_account {
	struct machine *machine;
	struct grouping *grouping;
	struct ledger *ledger;
	struct sites *sites; /* page_account.key is a site */
	struct process_maps maps;
	uint32_t not_sampled; /* the stack of FRAME_NOT_SAMPLED */
	struct memory_estimate estimate;
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

/* The site from which the surplus of a sampled event is subtracted; GROUP_NONE: it is filtered out. */
static uint32_t surplus_site(struct memory_account *account, uint32_t site)
{
	return sites_find_beside(account->sites, site, account->not_sampled);
}

static void estimate(struct memory_account *account, const struct page_account *to, int64_t bytes,
		     bool surplus)
{
	struct memory_estimate *known = &account->estimate;

	if (!ledger_inside(account->ledger))
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

/* A sampled event: its own site gets as much as the events that it stands for, the surplus goes. */
static void commit_sampled(struct memory_account *account, const struct page_account *to,
			   int64_t bytes, int64_t count)
{
	uint32_t surplus = surplus_site(account, to->key);

	estimate(account, to, bytes, surplus != GROUP_NONE);
	if (!to->rest)
		sites_add(account->sites, to->key, multiply(bytes, to->weight), count * to->weight);
	if (surplus != GROUP_NONE)
		sites_add(account->sites, surplus, surplus_of(bytes, to->weight),
			  count - count * to->weight);
}

static void commit_bytes(struct memory_account *account, const struct page_account *to,
			 int64_t bytes)
{
	int64_t count = account->counted ? 0 : 1;

	account->counted = true;
	ledger_whole_add(account->ledger, bytes, count);
	if (to->key == GROUP_NONE)
		return;
	if (to->weight > 1) {
		commit_sampled(account, to, bytes, count);
		return;
	}
	estimate(account, to, bytes, true);
	sites_add(account->sites, to->key, bytes, count);
}

static void release_bytes(struct memory_account *account, const struct page_account *from,
			  int64_t bytes)
{
	uint32_t surplus;

	ledger_whole_remove(account->ledger, bytes, from->inside);
	if (from->key == GROUP_NONE)
		return;
	if (from->weight <= 1) {
		sites_remove(account->sites, from->key, bytes, from->inside);
		return;
	}
	if (!from->rest)
		sites_remove(account->sites, from->key, multiply(bytes, from->weight),
			     from->inside);
	surplus = surplus_site(account, from->key);
	if (surplus != GROUP_NONE)
		sites_remove(account->sites, surplus, surplus_of(bytes, from->weight),
			     from->inside);
}

static void change(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	(void)start;
	if (bytes > 0)
		commit_bytes(data, pages, bytes);
	else
		release_bytes(data, pages, -bytes);
}

struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger)
{
	struct memory_account *account = xcalloc(1, sizeof(*account));

	account->machine = machine;
	account->grouping = grouping;
	account->ledger = ledger;
	account->sites = sites_new(machine, grouping, ledger);
	process_maps_init(&account->maps, machine, change, account);
	account->not_sampled = stack_table_push(&machine->stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);
	return account;
}

void memory_account_free(struct memory_account *account)
{
	if (!account)
		return;
	process_maps_release(&account->maps);
	sites_free(account->sites);
	free(account);
}

/* The stack, in the process that called; STACK_EMPTY: there is none. */
static uint32_t stack_of(struct memory_account *account, const struct trace_event *event,
			 struct trace_process *target)
{
	struct trace_stack stack = event->memory.stack;
	struct trace_process *caller = target;

	if (event->pid != event->memory.target_pid)
		caller = machine_process(account->machine, event->pid, event->time_ns);
	stack.kernel = NULL;
	return caller ? machine_stack(account->machine, caller, event->tid, &stack) : STACK_EMPTY;
}

static struct page_account pages_of(struct memory_account *account, const struct trace_event *event,
				    struct trace_process *process)
{
	struct page_account pages = { .weight = 1, .inside = ledger_inside(account->ledger) };
	const struct trace_thread *thread = grouping_needs_thread(account->grouping)
						    ? machine_thread(account->machine, event)
						    : NULL;
	uint32_t place = grouping_place(account->grouping, process, thread), stack = STACK_EMPTY;

	if (grouping_by_stacks(account->grouping) && place != GROUP_NONE) {
		pages.weight = event->memory.weight;
		stack = pages.weight ? stack_of(account, event, process) : account->not_sampled;
	}
	pages.key = sites_find(account->sites, place, stack);
	if (pages.key == GROUP_NONE && pages.weight > 1) {
		pages.rest = true;
		pages.key = sites_find(account->sites, place, account->not_sampled);
	}
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
	ledger_whole_purge(account->ledger, bytes);
	if (key != GROUP_NONE)
		sites_purge(account->sites, key, bytes);
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
	if (!ledger_advance(account->ledger, event->time_ns))
		return false;
	grouping_update(account->grouping, event);
	account->counted = false;
	if (event->kind == TRACE_MEMORY)
		apply_memory(account, event);
	else
		process_maps_apply(&account->maps, event);
	ledger_commit(account->ledger);
	return true;
}

void memory_account_estimate(const struct memory_account *account, struct memory_estimate *result)
{
	*result = account->estimate;
}
