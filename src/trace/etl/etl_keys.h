/*
 * What the first look at a trace keeps of its stacks, for the second one, which meets events by time:
 *
 * - What a key stands for. It names the next definition of it after the reference, which is a slot's of a cache and may be
 *   used many times; most are told when the trace ends.
 * - Parts of stacks that come long after their event: a thread's own part is told when it leaves the kernel. With these at
 *   hand the second look needs to hold back events for a moment only.
 *
 * Frames are kept once.
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

/* Of a record of ETL_STACK_CREATE, _DELETE or _RUNDOWN. */
void etl_keys_define(struct etl_keys *keys, const struct etl_record *record,
		     const struct etl_stack *stack);

/* Part of a stack that comes late: ETL_STACK or a reference. */
void etl_keys_add_late(struct etl_keys *keys, const struct etl_record *record,
		       const struct etl_stack *stack);

/* All are in. */
void etl_keys_make(struct etl_keys *keys);

/* Definitions and late parts that were left out: more than any trace has. */
uint64_t etl_keys_dropped(const struct etl_keys *keys);

/* When something is told: by time, then as etl_merge.h has it. */
struct etl_moment {
	uint64_t time;
	uint64_t place; /* in its processor's buffers */
	uint32_t cpu;
};

/* They will be asked by time from the begin on. */
void etl_keys_rewind(struct etl_keys *keys);

/* The stack that the record, a reference, names; 0: none is defined behind it. To be asked by time. */
uint32_t etl_keys_find(struct etl_keys *keys, const struct etl_record *record, uint64_t key);

struct etl_late {
	uint64_t time; /* of its event */
	uint64_t key;
	struct etl_moment told;
	uint32_t pid, tid;
	uint32_t stack; /* 0: its key is not defined */
	uint16_t session;
	bool kernel;
};

/* By time; borrowed. */
const struct etl_late *etl_keys_late(const struct etl_keys *keys, size_t *nr);

/* How many frames a stack has; and those, the leaf first: at most `nr`. */
size_t etl_keys_depth(const struct etl_keys *keys, uint32_t stack);
void etl_keys_frames(const struct etl_keys *keys, uint32_t stack, uint64_t *frames, size_t nr);

#endif
