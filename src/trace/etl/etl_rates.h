/*
 * The CPU time that a sample stands for: the interval of the sampling timer, which may change during a trace.
 *
 * Format: SampledProfileInterval of PerfInfo, see etl_kernel.h. A change event also has the previous interval.
 */
#ifndef TRACE_ETL_RATES_H
#define TRACE_ETL_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_record.h"

struct etl_rates;

struct etl_rates *etl_rates_new(void);
void etl_rates_free(struct etl_rates *rates);

/* Add a record of ETL_PERF_INTERVAL, _START or _END, in any order. False: it lacks fields. */
bool etl_rates_add(struct etl_rates *rates, const struct etl_record *record);

/* Sort the intervals; call it once, after the last record. */
void etl_rates_make(struct etl_rates *rates);

/* Does the trace have an interval? Without one a sample stands for 1 ms. */
bool etl_rates_known(const struct etl_rates *rates);

/* Nanoseconds of a sample at `time` (ticks). Times must ascend from call to call; `*at` is the state, 0 at first. */
uint64_t etl_rates_find(const struct etl_rates *rates, uint64_t time, size_t *at);

#endif
