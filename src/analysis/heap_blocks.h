/*
 * The blocks of the heaps of all processes of a trace: a block is known by process, heap and address. A process starts
 * without heaps; its end, or an exec, frees all.
 */
#ifndef ANALYSIS_HEAP_BLOCKS_H
#define ANALYSIS_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"
#include "model/trace_event.h"
#include "util/hash_index.h"
#include "util/intmap.h"

struct heap_block {
	uint64_t address;
	int64_t bytes;
	uint32_t key;  /* of a site (sites.h), or GROUP_NONE */
	uint32_t life; /* of lifetime.h; 0: it does not matter */
	bool inside;   /* allocated inside the range of time */
};

struct heap {
	uint64_t handle;
	struct heap_block *v; /* in no order */
	size_t nr, alloc;
	struct hash_index index; /* of `v`, by address */
};

/* Called for a block that ends. */
typedef void heap_end_fn(void *data, const struct heap *heap, const struct heap_block *block);

struct process_heaps;

struct heap_blocks {
	struct machine *machine;
	heap_end_fn *end;
	void *data;
	struct process_heaps **v; /* by trace_process.index; NULL: no heap yet, or ended */
	size_t nr;
	struct intmap by_pid; /* the last process with heaps */
	size_t heaps_nr;      /* of all processes */
};

/* Heaps that have blocks, of all processes at a time: a program has a few, a damaged file may have any number. */
#define HEAP_BLOCKS_HEAPS_MAX 65536

/* All is borrowed. `end` is called for blocks that end with their heap or process. */
void heap_blocks_init(struct heap_blocks *blocks, struct machine *machine, heap_end_fn *end,
		      void *data);
void heap_blocks_release(struct heap_blocks *blocks);

/*
 * The heap of the event, of the process that called it. NULL: the heap has no blocks, or there is no such process, or it
 * has ended: then `*process` is NULL too.
 */
struct heap *heap_blocks_find(struct heap_blocks *blocks, const struct trace_event *event,
			      struct trace_process **process);

/* The same; it is made if it is new. NULL also if there are HEAP_BLOCKS_HEAPS_MAX already. */
struct heap *heap_blocks_get(struct heap_blocks *blocks, const struct trace_event *event,
			     struct trace_process **process);

/* Free all blocks of a heap of the process, and the heap. */
void heap_blocks_remove(struct heap_blocks *blocks, const struct trace_process *process,
			struct heap *heap);

/* The block at an address; NULL: none. Valid until the heap changes. */
struct heap_block *heap_find(const struct heap *heap, uint64_t address);
/* Add a block, at an address that has none; remove one. */
void heap_add(struct heap *heap, const struct heap_block *block);
void heap_remove(struct heap *heap, struct heap_block *block);

/* Take the start, exec or end of a process, after machine_apply(); other events change nothing. */
void heap_blocks_apply(struct heap_blocks *blocks, const struct trace_event *event);

/* Call `end` for the blocks of all processes that have not ended; they stay. */
void heap_blocks_each(const struct heap_blocks *blocks, heap_end_fn *end, void *data);

#endif
