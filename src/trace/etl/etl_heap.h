/*
 * Decodes events of the heap provider, which ntdll writes in traced processes: each call of a heap.
 *
 * Format: the MOF classes Heap_TypeGroup1 and their versions as microsoft/perfview (KernelTraceEventParser) and
 * winsiderss/phnt read them. Fields are packed. No file with such events could be had: see docs/etl.md.
 */
#ifndef TRACE_ETL_HEAP_H
#define TRACE_ETL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "model/trace_facts.h"
#include "trace/etl/etl_record.h"

/* Opcodes of ETL_HEAP. The others tell of the inside of a heap: its ranges, locks, buckets. */
enum etl_heap_opcode {
	ETL_HEAP_CREATE = 32,
	ETL_HEAP_ALLOC = 33,
	ETL_HEAP_REALLOC = 34,
	ETL_HEAP_DESTROY = 35,
	ETL_HEAP_FREE = 36,
};

struct etl_heap_call {
	uint8_t opcode;    /* enum etl_heap_opcode */
	uint64_t heap;     /* its handle */
	uint64_t address;  /* of the block; of ETL_HEAP_REALLOC the new address */
	uint64_t before;   /* of ETL_HEAP_REALLOC: the old address */
	uint64_t size;     /* of the block: bytes; not of ETL_HEAP_FREE, which does not say it */
	uint64_t old_size; /* of ETL_HEAP_REALLOC */
};

bool etl_heap_is_call(uint8_t opcode);

/* An event with etl_heap_is_call(). False: it lacks fields, or no block can have its size. */
bool etl_decode_heap(const struct etl_record *record, struct etl_heap_call *call);

/*
 * What a call does to blocks. False: nothing. Where a block cannot be resized in place, the reallocation is told of by an
 * allocation and a free too (perfview counts only those): it does nothing itself.
 */
bool etl_heap_op(const struct etl_heap_call *call, enum heap_op *op);

/*
 * What processes requested from their heaps, by process: sums of the heap provider's events, which wpr's profile Heap
 * records, of those for which etl_heap_op() is true. A process of which none is has sums of 0.
 */
struct etl_heaps;

struct etl_heaps *etl_heaps_new(void);
void etl_heaps_free(struct etl_heaps *heaps);

/* Add an event of ETL_HEAP, of any opcode. False: it lacks fields. */
bool etl_heaps_add(struct etl_heaps *heaps, const struct etl_record *record);

/* Append the sums, sorted by pid. */
void etl_heaps_report(const struct etl_heaps *heaps, struct trace_facts *facts);

#endif
