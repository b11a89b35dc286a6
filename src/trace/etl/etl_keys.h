/*
 * Stacks that the scan of a trace collects for the reader, which processes events by time:
 *
 * - The stack of each key. Keys are slots of a cache and are reused: a reference means the next definition of its key. Most
 *   definitions are at the end of the trace.
 * - Parts of stacks that are written long after their event: the user part is written when the thread leaves the kernel. As
 *   these are known in advance, the reader delays events only briefly.
 *
 * Stacks share equal frames.
 */
#ifndef TRACE_ETL_KEYS_H
#define TRACE_ETL_KEYS_H

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

/* When a record was written: by time, then in the order of etl_merge.h. */
struct etl_moment {
	uint64_t time;
	uint64_t place; /* position in the buffers of its processor */
	uint32_t cpu;
};

/* Start again with references from the first on. */
void etl_keys_rewind(struct etl_keys *keys);

/* The stack of a reference; 0: its key is not defined later. To be called in order of time. */
uint32_t etl_keys_find(struct etl_keys *keys, const struct etl_record *record, uint64_t key);

struct etl_late {
	uint64_t time; /* of its event */
	uint64_t key;
	struct etl_moment recorded;
	uint32_t pid, tid;
	uint32_t stack; /* 0: its key is not defined */
	uint16_t session;
	bool kernel;
};

/* All late parts, sorted by time; borrowed. */
const struct etl_late *etl_keys_late(const struct etl_keys *keys, size_t *nr);

/* The number of frames of a stack; and copy its first `nr` frames, leaf first. */
size_t etl_keys_depth(const struct etl_keys *keys, uint32_t stack);
void etl_keys_frames(const struct etl_keys *keys, uint32_t stack, uint64_t *frames, size_t nr);

#endif
