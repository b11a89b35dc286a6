#include "analysis/heap_blocks.h"

#include <stdlib.h>

#include "util/array.h"

struct process_heaps {
	struct heap **v;
	size_t nr, alloc;
	struct hash_index index; /* of `v`, by handle */
	struct heap *last;       /* found last; NULL: none */
};

void heap_blocks_init(struct heap_blocks *blocks, struct machine *machine, heap_end_fn *end,
		      void *data)
{
	*blocks = (struct heap_blocks){ .machine = machine, .end = end, .data = data };
}

static void free_heap(struct heap *heap)
{
	free(heap->v);
	hash_index_release(&heap->index);
	free(heap);
}

static void free_heaps(struct process_heaps *heaps)
{
	if (!heaps)
		return;
	for (size_t i = 0; i < heaps->nr; i++)
		free_heap(heaps->v[i]);
	free(heaps->v);
	hash_index_release(&heaps->index);
	free(heaps);
}

void heap_blocks_release(struct heap_blocks *blocks)
{
	for (size_t i = 0; i < blocks->nr; i++)
		free_heaps(blocks->v[i]);
	free(blocks->v);
	intmap_release(&blocks->by_pid);
}

static void end_blocks(const struct heap *heap, heap_end_fn *end, void *data)
{
	for (size_t i = 0; i < heap->nr; i++)
		end(data, heap, &heap->v[i]);
}

static struct process_heaps **slot_of(struct heap_blocks *blocks,
				      const struct trace_process *process)
{
	ARRAY_GROW_ZERO(blocks->v, process->index + 1, blocks->nr);
	return &blocks->v[process->index];
}

/* The process ends, or runs another program. */
static void end_process(struct heap_blocks *blocks, const struct trace_process *process)
{
	struct process_heaps **heaps = slot_of(blocks, process);

	for (size_t i = 0; *heaps && i < (*heaps)->nr; i++)
		end_blocks((*heaps)->v[i], blocks->end, blocks->data);
	if (*heaps)
		blocks->heaps_nr -= (*heaps)->nr;
	free_heaps(*heaps);
	*heaps = NULL;
}

/* An earlier process with the pid must have ended, though no event said so. */
static void begin_process(struct heap_blocks *blocks, struct trace_process *process)
{
	struct trace_process *before = intmap_get(&blocks->by_pid, process->pid);

	if (before == process)
		return;
	if (before)
		end_process(blocks, before);
	intmap_put(&blocks->by_pid, process->pid, process);
}

static struct heap *find_heap(const struct process_heaps *heaps, uint64_t handle)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &heaps->index, handle, i, heaps->v[i]->handle == handle);
	return at == HASH_INDEX_NONE ? NULL : heaps->v[at];
}

static struct heap *add_heap(struct process_heaps *heaps, uint64_t handle)
{
	struct heap *heap = xcalloc(1, sizeof(*heap));

	heap->handle = handle;
	hash_index_add(&heaps->index, handle, (uint32_t)heaps->nr);
	ARRAY_ADD(heaps->v, heaps->nr, heaps->alloc, heap);
	return heap;
}

struct heap *heap_blocks_find(struct heap_blocks *blocks, const struct trace_event *event,
			      struct trace_process **process)
{
	struct process_heaps *heaps;

	*process = machine_process(blocks->machine, event->pid, event->time_ns);
	if (*process && (*process)->end_ns != PROCESS_UNKNOWN)
		*process = NULL;
	if (!*process)
		return NULL;
	begin_process(blocks, *process);
	heaps = *slot_of(blocks, *process);
	if (!heaps)
		return NULL;
	if (!heaps->last || heaps->last->handle != event->heap.heap)
		heaps->last = find_heap(heaps, event->heap.heap);
	return heaps->last;
}

struct heap *heap_blocks_get(struct heap_blocks *blocks, const struct trace_event *event,
			     struct trace_process **process)
{
	struct heap *heap = heap_blocks_find(blocks, event, process);
	struct process_heaps **heaps;

	if (heap || !*process || blocks->heaps_nr >= HEAP_BLOCKS_HEAPS_MAX)
		return heap;
	heaps = slot_of(blocks, *process);
	if (!*heaps)
		*heaps = xcalloc(1, sizeof(**heaps));
	(*heaps)->last = add_heap(*heaps, event->heap.heap);
	blocks->heaps_nr++;
	return (*heaps)->last;
}

/* The last heap takes its place. */
void heap_blocks_remove(struct heap_blocks *blocks, const struct trace_process *process,
			struct heap *heap)
{
	struct process_heaps *heaps = *slot_of(blocks, process);
	uint32_t at, last = (uint32_t)heaps->nr - 1;

	end_blocks(heap, blocks->end, blocks->data);
	HASH_INDEX_FIND(at, &heaps->index, heap->handle, i, heaps->v[i] == heap);
	hash_index_remove(&heaps->index, heap->handle, at);
	if (at != last) {
		hash_index_remove(&heaps->index, heaps->v[last]->handle, last);
		hash_index_add(&heaps->index, heaps->v[last]->handle, at);
		heaps->v[at] = heaps->v[last];
	}
	heaps->nr--;
	heaps->last = NULL;
	blocks->heaps_nr--;
	free_heap(heap);
}

struct heap_block *heap_find(const struct heap *heap, uint64_t address)
{
	uint32_t at;

	HASH_INDEX_FIND(at, &heap->index, address, i, heap->v[i].address == address);
	return at == HASH_INDEX_NONE ? NULL : &heap->v[at];
}

void heap_add(struct heap *heap, const struct heap_block *block)
{
	hash_index_add(&heap->index, block->address, (uint32_t)heap->nr);
	ARRAY_ADD(heap->v, heap->nr, heap->alloc, *block);
}

/* The last block takes its place. */
void heap_remove(struct heap *heap, struct heap_block *block)
{
	const struct heap_block *last = &heap->v[heap->nr - 1];
	uint32_t at = (uint32_t)(block - heap->v);

	hash_index_remove(&heap->index, block->address, at);
	if (block != last) {
		hash_index_remove(&heap->index, last->address, (uint32_t)(heap->nr - 1));
		hash_index_add(&heap->index, last->address, at);
		*block = *last;
	}
	heap->nr--;
}

void heap_blocks_apply(struct heap_blocks *blocks, const struct trace_event *event)
{
	struct trace_process *process;

	switch (event->kind) {
	case TRACE_PROCESS_START:
		process = machine_process(blocks->machine, event->pid, event->time_ns);
		if (process && process->end_ns == PROCESS_UNKNOWN)
			begin_process(blocks, process);
		break;
	case TRACE_EXEC:
		process = intmap_get(&blocks->by_pid, event->pid);
		if (process)
			end_process(blocks, process);
		break;
	case TRACE_THREAD_END:
	case TRACE_PROCESS_END:
		process = intmap_get(&blocks->by_pid, event->pid);
		if (process && process->end_ns != PROCESS_UNKNOWN)
			end_process(blocks, process);
		break;
	default:
		break;
	}
}

void heap_blocks_each(const struct heap_blocks *blocks, heap_end_fn *end, void *data)
{
	for (size_t i = 0; i < blocks->nr; i++) {
		for (size_t k = 0; blocks->v[i] && k < blocks->v[i]->nr; k++)
			end_blocks(blocks->v[i]->v[k], end, data);
	}
}
