#include "trace/etl/etl_heap.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/intmap.h"

/* The largest address space of a process: a block cannot be larger. */
#define SIZE_MAX_OF_A_BLOCK (UINT64_C(1) << 47)

bool etl_heap_is_call(uint8_t opcode)
{
	return opcode >= ETL_HEAP_CREATE && opcode <= ETL_HEAP_FREE;
}

/* Source: how the heap found the block; of no use here. */
static void skip_source(struct etl_payload *payload)
{
	etl_take32(payload);
}

bool etl_decode_heap(const struct etl_record *record, struct etl_heap_call *call)
{
	struct etl_payload payload = etl_payload_of(record);

	*call = (struct etl_heap_call){ .opcode = record->opcode };
	call->heap = etl_take_pointer(&payload);
	switch (record->opcode) {
	case ETL_HEAP_CREATE:
		etl_take32(&payload); /* flags; what version 3 adds is not needed */
		break;
	case ETL_HEAP_ALLOC:
		call->size = etl_take_pointer(&payload);
		call->address = etl_take_pointer(&payload);
		skip_source(&payload);
		break;
	case ETL_HEAP_REALLOC:
		call->address = etl_take_pointer(&payload);
		call->before = etl_take_pointer(&payload);
		call->size = etl_take_pointer(&payload);
		call->old_size = etl_take_pointer(&payload);
		skip_source(&payload);
		break;
	case ETL_HEAP_FREE:
		call->address = etl_take_pointer(&payload);
		skip_source(&payload);
		break;
	default: /* ETL_HEAP_DESTROY */
		break;
	}
	return !payload.truncated && call->size <= SIZE_MAX_OF_A_BLOCK &&
	       call->old_size <= SIZE_MAX_OF_A_BLOCK;
}

bool etl_heap_op(const struct etl_heap_call *call, enum heap_op *op)
{
	switch (call->opcode) {
	case ETL_HEAP_CREATE:
		*op = HEAP_CREATE;
		return true;
	case ETL_HEAP_ALLOC:
		*op = HEAP_ALLOC;
		return call->address; /* 0: it failed */
	case ETL_HEAP_REALLOC:
		*op = HEAP_RESIZE;
		return call->address && call->address == call->before;
	case ETL_HEAP_DESTROY:
		*op = HEAP_DESTROY;
		return true;
	default: /* ETL_HEAP_FREE */
		*op = HEAP_FREE;
		return call->address;
	}
}

/* A system has a few hundred processes; a damaged file may have any number. */
#define HEAPS_MAX ((size_t)1 << 16)

struct etl_heaps {
	struct intmap by_pid; /* index in `v` plus one */
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

/* The sums of a process; NULL: there are too many processes. */
static struct trace_heap *find_heap(struct etl_heaps *heaps, int64_t pid)
{
	uintptr_t number = (uintptr_t)intmap_get(&heaps->by_pid, pid);

	if (!number) {
		if (heaps->nr == HEAPS_MAX)
			return NULL;
		ARRAY_ADD(heaps->v, heaps->nr, heaps->alloc, (struct trace_heap){ .pid = pid });
		number = heaps->nr;
		intmap_put(&heaps->by_pid, pid, (void *)number);
	}
	return &heaps->v[number - 1];
}

/* A damaged file may have any sizes: the sum must not overflow. */
static void add_bytes(int64_t *sum, uint64_t bytes)
{
	*sum = bytes > (uint64_t)(INT64_MAX - *sum) ? INT64_MAX : *sum + (int64_t)bytes;
}

static void add_call(struct trace_heap *heap, const struct etl_heap_call *call)
{
	enum heap_op op;

	if (!etl_heap_op(call, &op))
		return;
	switch (op) {
	case HEAP_ALLOC:
		heap->allocs++;
		add_bytes(&heap->allocated_bytes, call->size);
		break;
	case HEAP_RESIZE:
		heap->reallocs++;
		if (call->size > call->old_size)
			add_bytes(&heap->grown_bytes, call->size - call->old_size);
		break;
	default: /* HEAP_FREE */
		heap->frees++;
		break;
	}
}

bool etl_heaps_add(struct etl_heaps *heaps, const struct etl_record *record)
{
	struct etl_heap_call call;
	struct trace_heap *heap;

	if (!etl_heap_is_call(record->opcode))
		return true;
	if (!etl_decode_heap(record, &call))
		return false;
	if (call.opcode == ETL_HEAP_CREATE || call.opcode == ETL_HEAP_DESTROY)
		return true;
	heap = find_heap(heaps, record->pid == ETL_NO_ID ? -1 : (int64_t)record->pid);
	if (heap)
		add_call(heap, &call);
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct trace_heap *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void etl_heaps_report(const struct etl_heaps *heaps, struct trace_facts *facts)
{
	if (!heaps->nr)
		return;
	facts->heaps = xcalloc(heaps->nr, sizeof(*facts->heaps));
	memcpy(facts->heaps, heaps->v, heaps->nr * sizeof(*facts->heaps));
	qsort(facts->heaps, heaps->nr, sizeof(*facts->heaps), by_pid);
	facts->heaps_nr = heaps->nr;
}
