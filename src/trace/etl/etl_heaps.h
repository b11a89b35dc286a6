/*
 * What processes asked their heaps for: sums of the heap provider's events, which are there where heaps were traced (wpr's
 * profile Heap), by process.
 */
#ifndef TRACE_ETL_HEAPS_H
#define TRACE_ETL_HEAPS_H

#include <stdbool.h>

#include "trace/etl/etl_record.h"
#include "trace/trace_reader.h"

struct etl_heaps;

struct etl_heaps *etl_heaps_new(void);
void etl_heaps_free(struct etl_heaps *heaps);

/* An event of ETL_HEAP, of any kind. False: it lacks fields. */
bool etl_heaps_add(struct etl_heaps *heaps, const struct etl_record *record);

/* By pid. */
void etl_heaps_tell(const struct etl_heaps *heaps, struct trace_facts *facts);

#endif
