/*
 * Events that wait for their stacks. A part of a stack names its event by time stamp; of several with the same the one of its
 * thread is meant, and where an event does not tell its thread, the one of its processor.
 *
 * A part is told up to some 100 ms after its event. Here events wait for a small part of that: what comes later is known
 * from the first look (etl_keys.h).
 */
#ifndef TRACE_ETL_WINDOW_H
#define TRACE_ETL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_keys.h"
#include "trace/etl/etl_record.h"

enum etl_waiting_kind {
	ETL_WAITING_SAMPLE,
	ETL_WAITING_ALLOC,
	ETL_WAITING_FREE,
};

/* A part of a stack: frames in the window's own store, or the keys'. */
struct etl_part {
	uint64_t at; /* in the store; a stack of the keys */
	uint32_t nr; /* frames; 0: no part */
	bool kept;   /* by the keys */
};

struct etl_waiting {
	uint64_t time;
	uint64_t address; /* of a sample its instruction */
	uint64_t size;    /* of a sample its weight in ns */
	uint64_t frames;  /* the store's begin when it came */
	struct etl_part kernel, user;
	uint32_t cpu;
	uint32_t pid, tid; /* ETL_NO_ID: not known (yet) */
	uint32_t target;   /* whose memory it is */
	uint32_t flags;
	uint8_t kind; /* enum etl_waiting_kind */
	uint8_t pointer;
	bool stacked; /* a part of its stack was told, be it an empty one */
};

struct etl_window;

/* `span` is how long events wait, in ticks; `keys` are borrowed. */
struct etl_window *etl_window_new(struct etl_keys *keys, uint64_t span);
void etl_window_free(struct etl_window *window);

/* Events come by time; one that does not is found by no stack. */
void etl_window_add(struct etl_window *window, const struct etl_waiting *waiting);

/* Whether a part comes later than events wait. */
bool etl_window_is_late(uint64_t span, const struct etl_record *record,
			const struct etl_stack *stack);

/* A part of a stack, of any event; ETL_STACK or a reference. */
void etl_window_add_stack(struct etl_window *window, const struct etl_record *record,
			  const struct etl_stack *stack);

/* The oldest event, if it has waited long enough at `now`, or too many wait, or all are wanted; NULL. */
const struct etl_waiting *etl_window_oldest(struct etl_window *window, uint64_t now, bool all);

/* Copy the frames of a part of the oldest event to `to`, which has room for part->nr. */
void etl_window_copy(const struct etl_window *window, const struct etl_part *part, uint64_t *to);

/* Away with the oldest one. */
void etl_window_drop(struct etl_window *window);

#endif
