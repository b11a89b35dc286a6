#include "analysis/memory_account.h"

#include <stdlib.h>

#include "analysis/page_map.h"
#include "util/array.h"
#include "util/intmap.h"
#include "util/wrap.h"

struct memory_account {
	struct machine *machine;
	struct grouping *grouping;
	struct ledger *ledger;
	struct page_map **maps; /* by trace_process.index; NULL: no memory yet, or ended */
	size_t maps_nr;
	struct intmap by_pid; /* the last process with a map */
	size_t copied;        /* ranges that maps have from their parents */
	uint32_t not_sampled; /* the stack of FRAME_NOT_SAMPLED */
	struct memory_estimate estimate;
	bool counted; /* the current event has added bytes */
};

struct memory_account *memory_account_new(struct machine *machine, struct grouping *grouping,
					  struct ledger *ledger)
{
	struct memory_account *account = xcalloc(1, sizeof(*account));

	account->machine = machine;
	account->grouping = grouping;
	account->ledger = ledger;
	account->not_sampled = stack_table_push(&machine->stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);
	return account;
}

void memory_account_free(struct memory_account *account)
{
	if (!account)
		return;
	for (size_t i = 0; i < account->maps_nr; i++)
		page_map_free(account->maps[i]);
	free(account->maps);
	intmap_release(&account->by_pid);
	free(account);
}

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

/* The key from which the surplus of a sampled event is subtracted. */
static uint32_t surplus_key(struct memory_account *account, uint32_t key)
{
	return grouping_key_same_root(account->grouping, key, account->not_sampled);
}

static void estimate(struct memory_account *account, const struct page_account *to, int64_t bytes)
{
	struct memory_estimate *known = &account->estimate;

	if (!ledger_inside(account->ledger))
		return;
	if (to->weight == 1) {
		wrap_add_to(&known->exact_bytes, bytes);
	} else {
		wrap_add_to(&known->estimated_bytes, multiply(bytes, to->weight));
		wrap_add_to(&known->not_sampled_bytes, surplus_of(bytes, to->weight));
	}
}

static void commit_bytes(struct memory_account *account, const struct page_account *to,
			 int64_t bytes)
{
	int64_t count = account->counted ? 0 : 1;

	account->counted = true;
	ledger_whole_add(account->ledger, bytes, count);
	if (to->key == GROUP_NONE)
		return;
	estimate(account, to, bytes);
	if (to->weight <= 1) {
		ledger_key_add(account->ledger, to->key, bytes, count);
		return;
	}
	ledger_key_add(account->ledger, to->key, multiply(bytes, to->weight), count * to->weight);
	ledger_key_add(account->ledger, surplus_key(account, to->key),
		       surplus_of(bytes, to->weight), count - count * to->weight);
}

static void release_bytes(struct memory_account *account, const struct page_account *from,
			  int64_t bytes)
{
	ledger_whole_remove(account->ledger, bytes, from->inside);
	if (from->key == GROUP_NONE)
		return;
	if (from->weight <= 1) {
		ledger_key_remove(account->ledger, from->key, bytes, from->inside);
		return;
	}
	ledger_key_remove(account->ledger, from->key, multiply(bytes, from->weight), from->inside);
	ledger_key_remove(account->ledger, surplus_key(account, from->key),
			  surplus_of(bytes, from->weight), from->inside);
}

static void change(void *data, const struct page_account *pages, uint64_t start, int64_t bytes)
{
	(void)start;
	if (bytes > 0)
		commit_bytes(data, pages, bytes);
	else
		release_bytes(data, pages, -bytes);
}

/* The element of account->maps of a process. */
static struct page_map **slot_of(struct memory_account *account,
				 const struct trace_process *process)
{
	ARRAY_GROW_ZERO(account->maps, process->index + 1, account->maps_nr);
	return &account->maps[process->index];
}

static void add_steps(struct memory_account *account, struct page_map *map)
{
	account->machine->memory_steps += page_map_take_steps(map);
}

static void release_all(struct memory_account *account, struct page_map *map)
{
	account->copied -= page_map_copied(map);
	page_map_release_all(map, change, account);
	add_steps(account, map);
}

static void end_process(struct memory_account *account, const struct trace_process *process)
{
	struct page_map **map = slot_of(account, process);

	if (!*map)
		return;
	release_all(account, *map);
	page_map_free(*map);
	*map = NULL;
}

/* The process gets `map`. An earlier process with its pid must have ended, though no event said so. */
static void begin_process(struct memory_account *account, struct trace_process *process,
			  struct page_map *map)
{
	struct trace_process *before = intmap_get(&account->by_pid, process->pid);

	if (before && before != process)
		end_process(account, before);
	intmap_put(&account->by_pid, process->pid, process);
	*slot_of(account, process) = map;
}

static struct page_map *map_of(struct memory_account *account, struct trace_process *process)
{
	struct page_map *map = *slot_of(account, process);

	if (!map) {
		map = page_map_new();
		begin_process(account, process, map);
	}
	return map;
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
	return caller ? machine_stack(account->machine, caller, event->tid, &stack, NULL)
		      : STACK_EMPTY;
}

static struct page_account pages_of(struct memory_account *account, const struct trace_event *event,
				    struct trace_process *process)
{
	struct page_account pages = { .weight = 1, .inside = ledger_inside(account->ledger) };
	uint32_t stack = STACK_EMPTY;

	if (grouping_by_stacks(account->grouping) && grouping_matches(account->grouping, process)) {
		pages.weight = event->memory.weight;
		stack = pages.weight ? stack_of(account, event, process) : account->not_sampled;
	}
	pages.key = grouping_key(account->grouping, process, NULL, stack);
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
		ledger_key_purge(account->ledger, key, bytes);
}

static void apply_memory(struct memory_account *account, const struct trace_event *event)
{
	const struct trace_memory *memory = &event->memory;
	struct trace_process *process =
		machine_process(account->machine, memory->target_pid, event->time_ns);
	struct page_account pages = { .key = GROUP_NONE };
	struct page_map *map;

	if (!process || process->end_ns != PROCESS_UNKNOWN)
		return;
	map = map_of(account, process);
	if (may_commit_or_purge(memory->op))
		pages = pages_of(account, event, process);
	if (memory->op == MEMORY_PURGE)
		purge(account, map, memory, pages.key);
	else
		page_map_apply(map, memory, &pages, change, account);
	add_steps(account, map);
}

/* The map of a forked process; empty if too many ranges were copied already: see machine.h. */
static struct page_map *copy_map(struct memory_account *account, const struct page_map *from)
{
	struct page_map *map;

	if (page_map_ranges(from) > account->machine->max_copied - account->copied) {
		account->machine->forks_cut++;
		return page_map_new();
	}
	map = page_map_copy(from);
	account->copied += page_map_copied(map);
	return map;
}

/* If a process has a map already when it starts, it keeps the map. */
static void start_process(struct memory_account *account, const struct trace_event *event)
{
	struct trace_process *process =
		machine_process(account->machine, event->pid, event->time_ns);
	struct trace_process *parent = intmap_get(&account->by_pid, event->start.ppid);
	struct page_map *map = parent && parent != process ? *slot_of(account, parent) : NULL;

	if (!process || process->end_ns != PROCESS_UNKNOWN || *slot_of(account, process))
		return;
	if (map && event->start.copied)
		begin_process(account, process, copy_map(account, map));
	else
		begin_process(account, process, page_map_new());
}

static void exec_process(struct memory_account *account, const struct trace_event *event)
{
	struct trace_process *process = intmap_get(&account->by_pid, event->pid);
	struct page_map *map = process ? *slot_of(account, process) : NULL;

	if (map)
		release_all(account, map);
}

static void apply(struct memory_account *account, const struct trace_event *event)
{
	const struct trace_process *process;

	switch (event->kind) {
	case TRACE_MEMORY:
		apply_memory(account, event);
		break;
	case TRACE_PROCESS_START:
		start_process(account, event);
		break;
	case TRACE_EXEC:
		exec_process(account, event);
		break;
	case TRACE_THREAD_END:
	case TRACE_PROCESS_END:
		process = intmap_get(&account->by_pid, event->pid);
		if (process && process->end_ns != PROCESS_UNKNOWN)
			end_process(account, process);
		break;
	default:
		break;
	}
}

bool memory_account_apply(struct memory_account *account, const struct trace_event *event)
{
	if (!ledger_advance(account->ledger, event->time_ns))
		return false;
	grouping_update(account->grouping, event);
	account->counted = false;
	apply(account, event);
	ledger_commit(account->ledger);
	return true;
}

void memory_account_estimate(const struct memory_account *account, struct memory_estimate *result)
{
	*result = account->estimate;
}
