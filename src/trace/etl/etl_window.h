/*
 * Stacks that the scan of a trace collects for the reader, which processes events by time:
 *
 * - The stack of each key. Keys are slots of a cache and are reused: a reference means the next definition of its key. Most
 *   definitions are at the end of the trace.
 * - Parts of stacks that are written long after their event: the user part is written when the thread leaves the kernel. As
 *   these are known in advance, the reader delays events only briefly.
 *
 * Stacks share equal frames.
 *
 * The window delays events until their stacks are read. A part of a stack refers to its event by time stamp; of several
 * events with the same time stamp, to the one of the same thread or, if events have no thread, of the same processor.
 * A part may be written up to 400 ms after its event. Events are delayed by 2 ms only: later parts are known from the scan.
 */
#ifndef TRACE_ETL_WINDOW_H
#define TRACE_ETL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_record.h"

struct etl_keys;

struct etl_keys *etl_keys_new(void);
void etl_keys_free(struct etl_keys *keys);

/* Add the definition of a key: a record of ETL_STACK_CREATE, _DELETE or _RUNDOWN. */
void etl_keys_define(struct etl_keys *keys, const struct etl_record *record,
		     const struct etl_stack *stack);

/* Add a part of a stack that is written late: ETL_STACK or a reference. */
void etl_keys_add_late(struct etl_keys *keys, const struct etl_record *record,
		       const struct etl_stack *stack);

/* Prepare the lookups; call it once, after the last record. */
void etl_keys_make(struct etl_keys *keys);

/* Number of definitions and late parts beyond the limit, which are ignored. */
uint64_t etl_keys_dropped(const struct etl_keys *keys);

/* Start again with references from the first on. */
void etl_keys_rewind(struct etl_keys *keys);

enum etl_waiting_kind {
	ETL_WAITING_SAMPLE,
	ETL_WAITING_MEMORY,
	ETL_WAITING_HEAP,
	ETL_WAITING_NOTHING, /* it has no effect, but may have a stack */
};

/* A part of a stack: frames in the window's store, or a stack of etl_keys. */
struct etl_part {
	uint64_t at; /* index in the store, or stack of etl_keys */
	uint32_t nr; /* frames; 0: no part */
	bool kept;   /* in etl_keys */
};

struct etl_waiting {
	uint64_t time;
	uint64_t address; /* of a sample: the instruction; of memory in whole pages */
	uint64_t size;    /* of a sample: weight in ns; of memory in whole pages */
	uint64_t frames;  /* start of the store when the event was added */
	struct etl_part kernel, user;
	uint32_t cpu;
	uint32_t pid, tid; /* ETL_NO_ID: unknown (yet) */
	union {
		uint32_t target; /* of ETL_WAITING_MEMORY: the process that owns it */
		uint64_t heap;   /* of ETL_WAITING_HEAP: its handle */
	};
	uint8_t kind; /* enum etl_waiting_kind */
	uint8_t op;   /* enum memory_op, enum heap_op */
	uint8_t pointer;
	bool stacked; /* a part of its stack was recorded, perhaps an empty one */
};

struct etl_window;

/* `span`: delay of events in ticks; `keys` are borrowed. */
struct etl_window *etl_window_new(struct etl_keys *keys, uint64_t span);
void etl_window_free(struct etl_window *window);

/* Add an event; to be called in order of time, else stacks are not found. */
void etl_window_add(struct etl_window *window, const struct etl_waiting *waiting);

/* Is a part written later than events are delayed? */
static inline bool etl_window_is_late(uint64_t span, const struct etl_record *record,
				      const struct etl_stack *stack)
{
	return record->time > stack->time && record->time - stack->time > span;
}

/* Add a part of a stack: ETL_STACK or a reference. */
void etl_window_add_stack(struct etl_window *window, const struct etl_record *record,
			  const struct etl_stack *stack);

/* The oldest event; NULL: there is none. */
const struct etl_waiting *etl_window_peek(const struct etl_window *window);

/* The oldest event, if its delay is over at `now`, too many events wait, or `all`; else NULL. */
const struct etl_waiting *etl_window_oldest(struct etl_window *window, uint64_t now, bool all);

/* Copy the frames of a part of the oldest event to `to`, which has room for part->nr. */
void etl_window_copy(const struct etl_window *window, const struct etl_part *part, uint64_t *to);

/* Remove the oldest event. */
void etl_window_drop(struct etl_window *window);

#endif
