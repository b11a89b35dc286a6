/*
 * From when to when something was there, by what a trace says of it in any order: its begin, its end, that it was there at
 * the trace's begin or end. Processes, threads and images all are told so.
 */
#ifndef TRACE_ETL_SPANS_H
#define TRACE_ETL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a span that has none: since before the trace, to its end. */
#define ETL_SINCE_BEFORE 0
#define ETL_TO_THE_END   UINT64_MAX

/* One thing that is said. `id` and `key` tell what it is said of at a time; `owner` tells two of them apart. */
struct etl_sighting {
	uint64_t key, time;
	uint32_t id, owner;
	uint32_t item; /* the caller's, rising */
	uint8_t what;  /* enum etl_life */
};

struct etl_span {
	uint64_t key, start, end;
	uint64_t seen; /* when it was told of first */
	uint32_t id;
	uint32_t item;     /* that told of it first */
	uint32_t end_item; /* that told of its end; UINT32_MAX: none did */
};

struct etl_spans {
	struct etl_sighting *sightings;
	size_t sightings_nr, sightings_alloc;
	struct etl_span *v; /* by id, key and start, once they are made */
	size_t nr, alloc;
};

void etl_spans_add(struct etl_spans *spans, const struct etl_sighting *sighting);
void etl_spans_make(struct etl_spans *spans);
void etl_spans_release(struct etl_spans *spans);

/* The first of `id`, and behind the last; NULL, 0. */
const struct etl_span *etl_spans_of(const struct etl_spans *spans, uint32_t id, size_t *nr);

#endif
