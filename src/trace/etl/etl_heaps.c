#include "trace/etl/etl_heaps.h"

#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_payload.h"
#include "util/array.h"
#include "util/intmap.h"

/*
 * Opcodes and payloads: PerfView, KernelTraceEventParser.cs (HeapAllocTraceData and others). A free tells the block's
 * address only, so that nobody knows its size who has not seen its allocation.
 */
enum {
	ALLOC = 33,
	REALLOC = 34,
	FREE = 36,
};

/* A system has some hundred processes; a damaged file any number. */
#define HEAPS_MAX ((size_t)1 << 16)

struct etl_heaps {
	struct intmap by_pid; /* to its number plus one */
	struct trace_heap *v;
	size_t nr, alloc;
};

struct etl_heaps *etl_heaps_new(void)
{
	return xcalloc(1, sizeof(struct etl_heaps));
}

void etl_heaps_free(struct etl_heaps *heaps)
{
	if (!heaps)
		return;
	intmap_release(&heaps->by_pid);
	free(heaps->v);
	free(heaps);
}

/* NULL: there are too many. */
static struct trace_heap *find_heap(struct etl_heaps *heaps, int64_t pid)
{
	uintptr_t number = (uintptr_t)intmap_get(&heaps->by_pid, pid);

	if (!number) {
		if (heaps->nr == HEAPS_MAX)
			return NULL;
		ARRAY_GROW(heaps->v, heaps->nr + 1, heaps->alloc);
		heaps->v[heaps->nr++] = (struct trace_heap){ .pid = pid };
		number = heaps->nr;
		intmap_put(&heaps->by_pid, pid, (void *)number);
	}
	return &heaps->v[number - 1];
}

/* Sizes of a damaged file are any number. */
static void add_bytes(int64_t *sum, uint64_t bytes)
{
	*sum = bytes > (uint64_t)(INT64_MAX - *sum) ? INT64_MAX : *sum + (int64_t)bytes;
}

static void add_alloc(struct trace_heap *heap, struct etl_payload *payload)
{
	uint64_t size;

	etl_take_pointer(payload); /* heap */
	size = etl_take_pointer(payload);
	etl_take_pointer(payload); /* address */
	etl_take32(payload);       /* source */
	if (payload->cut)
		return;
	heap->allocs++;
	add_bytes(&heap->allocated_bytes, size);
}

static void add_realloc(struct trace_heap *heap, struct etl_payload *payload)
{
	uint64_t now, before;

	etl_take_pointer(payload); /* heap */
	etl_take_pointer(payload); /* new address */
	etl_take_pointer(payload); /* old address */
	now = etl_take_pointer(payload);
	before = etl_take_pointer(payload);
	etl_take32(payload); /* source */
	if (payload->cut)
		return;
	heap->reallocs++;
	if (now > before)
		add_bytes(&heap->grown_bytes, now - before);
}

static void add_free(struct trace_heap *heap, struct etl_payload *payload)
{
	etl_take_pointer(payload); /* heap */
	etl_take_pointer(payload); /* address */
	etl_take32(payload);       /* source */
	heap->frees += !payload->cut;
}

bool etl_heaps_add(struct etl_heaps *heaps, const struct etl_record *record)
{
	struct etl_payload payload = etl_payload_of(record);
	struct trace_heap *heap;

	if (record->opcode != ALLOC && record->opcode != REALLOC && record->opcode != FREE)
		return true;
	heap = find_heap(heaps, record->pid == ETL_NO_ID ? -1 : (int64_t)record->pid);
	if (!heap)
		return true;
	if (record->opcode == ALLOC)
		add_alloc(heap, &payload);
	else if (record->opcode == REALLOC)
		add_realloc(heap, &payload);
	else
		add_free(heap, &payload);
	return !payload.cut;
}

static int by_pid(const void *a, const void *b)
{
	const struct trace_heap *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void etl_heaps_tell(const struct etl_heaps *heaps, struct trace_facts *facts)
{
	if (!heaps->nr)
		return;
	facts->heaps = xcalloc(heaps->nr, sizeof(*facts->heaps));
	memcpy(facts->heaps, heaps->v, heaps->nr * sizeof(*facts->heaps));
	qsort(facts->heaps, heaps->nr, sizeof(*facts->heaps), by_pid);
	facts->heaps_nr = heaps->nr;
}
