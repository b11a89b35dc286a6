/*
 * Converts memory events of one process to calls of VirtualAlloc and VirtualFree. One event of another system may change
 * pages in different states; it becomes several calls, so that the sums of committed and freed bytes are the same.
 *
 * Windows cannot move pages. Pages moved by mremap keep their old address in the ETL file; pages later committed at that
 * address get another one, from ETL_MEMORY_ELSEWHERE upwards.
 */
#ifndef CONVERT_ETL_MEMORY_H
#define CONVERT_ETL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

/* Above every user address of Linux. */
#define ETL_MEMORY_ELSEWHERE (UINT64_C(1) << 56)

enum etl_memory_what { ETL_MEMORY_FREE, ETL_MEMORY_COMMIT, ETL_MEMORY_RESERVE };

struct etl_memory_call {
	enum etl_memory_what what;
	uint64_t start, end;
};

/* Calls, in the order in which they must be written. */
struct etl_memory_calls {
	struct etl_memory_call *v;
	size_t nr, alloc;
};

struct etl_memory;

struct etl_memory *etl_memory_new(void);
void etl_memory_free(struct etl_memory *memory);

/* The memory of a forked child: inherited pages are accounted to the parent only. */
struct etl_memory *etl_memory_copy(const struct etl_memory *from);

/* Number of ranges inherited from the parent, until etl_memory_clear(); number of all ranges. */
size_t etl_memory_copied(const struct etl_memory *memory);
size_t etl_memory_ranges(const struct etl_memory *memory);

/* See page_map_take_steps(). */
uint64_t etl_memory_take_steps(struct etl_memory *memory);

/* Set `calls` to the calls for an event; none if it changes nothing in the file. */
void etl_memory_apply(struct etl_memory *memory, const struct trace_memory *event,
		      struct etl_memory_calls *calls);

/* Set `calls` to free everything: the process runs another program. */
void etl_memory_clear(struct etl_memory *memory, struct etl_memory_calls *calls);

#endif
