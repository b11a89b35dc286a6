#include "analysis/heap_account.h"

#include <stdlib.h>

#include "analysis/heap_blocks.h"
#include "util/alloc.h"
#include "util/wrap.h"

struct heap_account {
	struct tally tally;
	struct heap_blocks blocks;
	uint32_t not_sampled; /* the stack of FRAME_NOT_SAMPLED */
	struct heap_oddities oddities;
	struct memory_estimate estimate;
};

/* Of a life: a block of no bytes lives too, until it is freed. */
static int64_t held_by(const struct heap_block *block)
{
	return block->bytes + 1;
}

static void end_life(struct heap_account *account, const struct heap *heap,
		     const struct heap_block *block)
{
	const struct page_account of = {
		.key = block->key, .weight = 1, .life = block->life, .inside = block->inside
	};
	struct region region;

	if (!block->life)
		return;
	account->tally.lives.heap = heap->handle;
	region =
		lives_end(&account->tally.lives, &of, block->address, held_by(block), block->bytes);
	tally_lived(&account->tally, block->key, block->bytes, &region);
}

static void end_block(void *data, const struct heap *heap, const struct heap_block *block)
{
	struct heap_account *account = data;

	ledger_whole_remove(account->tally.ledger, block->bytes, block->inside);
	if (block->key != GROUP_NONE)
		sites_remove(account->tally.sites, block->key, block->bytes, block->inside);
	end_life(account, heap, block);
}

/* The block is held when the recording ends. */
static void end_held(void *data, const struct heap *heap, const struct heap_block *block)
{
	end_life(data, heap, block);
}

struct heap_account *heap_account_new(struct machine *machine, struct grouping *grouping,
				      struct ledger *ledger, const struct region_sink *sink)
{
	struct heap_account *account = xcalloc(1, sizeof(*account));

	tally_init(&account->tally, machine, grouping, ledger, sink);
	heap_blocks_init(&account->blocks, machine, end_block, account);
	account->not_sampled = stack_table_push(&machine->stacks, STACK_EMPTY, FRAME_NOT_SAMPLED);
	return account;
}

void heap_account_free(struct heap_account *account)
{
	if (!account)
		return;
	heap_blocks_release(&account->blocks);
	tally_release(&account->tally);
	free(account);
}

static uint32_t site_of(struct heap_account *account, const struct trace_event *event,
			struct trace_process *process)
{
	uint32_t place;

	grouping_set_heap(account->tally.grouping, event->heap.heap);
	place = tally_place(&account->tally, event, process);
	if (!event->heap.weight && grouping_by_stacks(account->tally.grouping))
		return sites_find(account->tally.sites, place, account->not_sampled);
	return tally_site(&account->tally, place, process, event->tid, &event->heap.stack);
}

static void add_estimate(struct heap_account *account, const struct trace_event *event)
{
	struct memory_estimate *known = &account->estimate;
	int64_t bytes = (int64_t)event->heap.size;

	if (!ledger_inside(account->tally.ledger))
		return;
	if (event->heap.weight || !grouping_by_stacks(account->tally.grouping))
		wrap_add_to(&known->exact_bytes, bytes);
	else
		wrap_add_to(&known->not_sampled_bytes, bytes);
}

static void allocate(struct heap_account *account, const struct trace_event *event,
		     struct heap *heap, struct trace_process *process)
{
	struct heap_block block = { .address = event->heap.address,
				    .bytes = (int64_t)event->heap.size,
				    .key = site_of(account, event, process),
				    .inside = ledger_inside(account->tally.ledger) };

	ledger_whole_add(account->tally.ledger, block.bytes, 1);
	if (block.key != GROUP_NONE) {
		block.life = lives_begin(&account->tally.lives);
		lives_add(&account->tally.lives, block.life, held_by(&block));
		sites_add(account->tally.sites, block.key, block.bytes, 1);
		add_estimate(account, event);
	}
	heap_add(heap, &block);
}

/* False: there is no such block. `heap` may be NULL. */
static bool release(struct heap_account *account, struct heap *heap, uint64_t address)
{
	struct heap_block *block = heap ? heap_find(heap, address) : NULL;

	if (!block)
		return false;
	end_block(account, heap, block);
	heap_remove(heap, block);
	return true;
}

static void note(struct heap_account *account, const struct trace_process *process, int64_t nr,
		 int64_t *count)
{
	if (ledger_inside(account->tally.ledger) &&
	    grouping_wants(account->tally.grouping, process))
		*count += nr;
}

static void apply_alloc(struct heap_account *account, const struct trace_event *event)
{
	struct trace_process *process;
	struct heap *heap = heap_blocks_get(&account->blocks, event, &process);

	if (!process)
		return;
	account->tally.lives.end = LIFE_FREED;
	if (release(account, heap, event->heap.address))
		note(account, process, 1, &account->oddities.replaced);
	if (heap)
		allocate(account, event, heap, process);
	else
		note(account, process, 1, &account->oddities.dropped);
}

/* Calls that need no heap which has no blocks yet. */
static void apply_other(struct heap_account *account, const struct trace_event *event)
{
	const struct trace_heap_call *call = &event->heap;
	struct heap_oddities *odd = &account->oddities;
	struct trace_process *process;
	struct heap *heap = heap_blocks_find(&account->blocks, event, &process);

	if (!process)
		return;
	account->tally.lives.end = LIFE_FREED;
	if (call->op == HEAP_CREATE || call->op == HEAP_DESTROY) {
		if (heap && call->op == HEAP_CREATE)
			note(account, process, (int64_t)heap->nr, &odd->replaced);
		if (heap)
			heap_blocks_remove(&account->blocks, process, heap);
	} else if (!release(account, heap, call->address)) {
		note(account, process, 1,
		     call->op == HEAP_FREE ? &odd->unknown_frees : &odd->unknown_resizes);
	} else if (call->op == HEAP_RESIZE) {
		allocate(account, event, heap, process);
	}
}

bool heap_account_apply(struct heap_account *account, const struct trace_event *event)
{
	if (!tally_begin(&account->tally, event))
		return false;
	if (event->kind == TRACE_HEAP && event->heap.op == HEAP_ALLOC)
		apply_alloc(account, event);
	else if (event->kind == TRACE_HEAP)
		apply_other(account, event);
	else
		heap_blocks_apply(&account->blocks, event);
	ledger_commit(account->tally.ledger);
	return true;
}

void heap_account_finish(struct heap_account *account)
{
	if (!lives_finish_begin(&account->tally.lives))
		return;
	heap_blocks_each(&account->blocks, end_held, account);
	lives_finish_end(&account->tally.lives);
}

void heap_account_oddities(const struct heap_account *account, struct heap_oddities *oddities)
{
	*oddities = account->oddities;
}

void heap_account_estimate(const struct heap_account *account, struct memory_estimate *estimate)
{
	*estimate = account->estimate;
}

const struct tally *heap_account_tally(const struct heap_account *account)
{
	return &account->tally;
}
