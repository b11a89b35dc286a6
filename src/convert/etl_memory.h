/*
 * The private memory of one process as calls of VirtualAlloc and VirtualFree: what other systems do to pages at once is
 * taken apart, so that pages of a known state only are committed and freed, and the sums are the same.
 *
 * Windows moves no pages. Those that a process moves (mremap) keep the address that they had when they were
 * committed; what comes to that address meanwhile is told elsewhere, from ETL_MEMORY_ELSEWHERE on.
 */
#ifndef CONVERT_ETL_MEMORY_H
#define CONVERT_ETL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

/* Above all that a process of Linux has. */
#define ETL_MEMORY_ELSEWHERE (UINT64_C(1) << 56)

enum etl_memory_what { ETL_MEMORY_FREE, ETL_MEMORY_COMMIT, ETL_MEMORY_RESERVE };

struct etl_memory_call {
	enum etl_memory_what what;
	uint64_t start, end;
};

/* In the order in which they are to be told. */
struct etl_memory_calls {
	struct etl_memory_call *v;
	size_t nr, alloc;
};

struct etl_memory;

struct etl_memory *etl_memory_new(void);
void etl_memory_free(struct etl_memory *memory);

/* A fork: what is committed is the parent's, and told there. */
struct etl_memory *etl_memory_copy(const struct etl_memory *from);

/* Of the parent's, until etl_memory_clear(); and all that is kept. */
size_t etl_memory_copied(const struct etl_memory *memory);
size_t etl_memory_ranges(const struct etl_memory *memory);

/* Put the calls in place of what `calls` has; none where nothing that is told changes. */
void etl_memory_apply(struct etl_memory *memory, const struct trace_memory *event,
		      struct etl_memory_calls *calls);

/* All of it is freed: another program. */
void etl_memory_clear(struct etl_memory *memory, struct etl_memory_calls *calls);

#endif
