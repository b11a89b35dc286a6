/*
 * Lifetimes of processes, threads and images, computed from sightings in any order: start, end, existence at the start or
 * end of the trace.
 */
#ifndef TRACE_ETL_SPANS_H
#define TRACE_ETL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start of a span that began before the trace; end of a span that lasts to the trace's end. */
#define ETL_SINCE_BEFORE 0
#define ETL_TO_THE_END   UINT64_MAX

/* One sighting. `id` and `key` identify the object at a time; a different `owner` means another object with a reused id. */
struct etl_sighting {
	uint64_t key, time;
	uint32_t id, owner;
	uint32_t item; /* number of the sighting, ascending */
	uint8_t what;  /* enum etl_opcode */
};

struct etl_span {
	uint64_t key, start, end;
	uint64_t seen; /* time of the first sighting */
	uint32_t id;
	uint32_t item;     /* of the first sighting */
	uint32_t end_item; /* of the sighting of its end; UINT32_MAX: none */
};

struct etl_spans {
	struct etl_sighting *sightings;
	size_t sightings_nr, sightings_alloc;
	struct etl_span *v; /* sorted by id, key and start */
	size_t nr, alloc;
};

void etl_spans_add(struct etl_spans *spans, const struct etl_sighting *sighting);
void etl_spans_make(struct etl_spans *spans);
void etl_spans_release(struct etl_spans *spans);

/* The `*nr` spans of `id`; NULL: none. */
const struct etl_span *etl_spans_of(const struct etl_spans *spans, uint32_t id, size_t *nr);

/*
 * The span that was the last to start at or before a time; before all the first; NULL: none. For an `id` whose spans have
 * one key.
 */
const struct etl_span *etl_spans_at(const struct etl_spans *spans, uint32_t id, uint64_t time);

#endif
