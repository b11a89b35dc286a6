/*
 * How much CPU time a sample stands for: the interval of the timer that samples, which may be set while a trace is recorded.
 *
 * Format: SampledProfileInterval of PerfInfo, see etl_kernel.h. A change tells the interval before it too.
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

/* A record of ETL_PERF_INTERVAL, _START or _END, in any order. False: it lacks fields. */
bool etl_rates_add(struct etl_rates *rates, const struct etl_record *record);

/* All are in. */
void etl_rates_make(struct etl_rates *rates);

/* Whether the trace tells any; where it does not, a sample is taken for 1 ms. */
bool etl_rates_told(const struct etl_rates *rates);

/* Nanoseconds of a sample at `time`, in ticks. Times rise from call to call; `*at` is the caller's to keep, at first 0. */
uint64_t etl_rates_find(const struct etl_rates *rates, uint64_t time, size_t *at);

#endif
