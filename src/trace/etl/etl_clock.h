/*
 * Converts ticks of an ETL file's clock to nanoseconds.
 */
#ifndef TRACE_ETL_CLOCK_H
#define TRACE_ETL_CLOCK_H

#include <stdint.h>

#define ETL_CLOCK_SECOND UINT64_C(1000000000)

/* Ticks per second of QPC from Windows 10 on, and of system time. */
#define ETL_CLOCK_USUAL UINT64_C(10000000)

/* Upper limit of ticks per second. */
#define ETL_CLOCK_FREQUENCY_MAX UINT64_C(100000000000)

/* Time zero of events. */
struct etl_clock_base {
	uint64_t frequency; /* ticks a second */
	int64_t base_ns;    /* time zero, by etl_clock_ns() */
};

/*
 * Nanoseconds of `ticks`, rounded down, modulo 2^64: the clock of system time counts from 1601, which is more than an
 * int64_t holds, so that only differences of such times are used. Of QPC they are the times of platform/clock.h on Windows.
 */
static inline uint64_t etl_clock_ns(uint64_t ticks, uint64_t frequency)
{
	uint64_t ns, rest;

	if (frequency == ETL_CLOCK_USUAL)
		return ticks * (ETL_CLOCK_SECOND / ETL_CLOCK_USUAL);
	ns = ticks / frequency * ETL_CLOCK_SECOND;
	rest = ticks % frequency;
	if (frequency <= UINT64_MAX / ETL_CLOCK_SECOND)
		return ns + rest * ETL_CLOCK_SECOND / frequency;
	/* Two steps, so that no product overflows. */
	rest *= 1000000;
	ns += rest / frequency * 1000;
	return ns + rest % frequency * 1000 / frequency;
}

/* Nanoseconds from time zero to `ticks`. */
static inline int64_t etl_clock_time(const struct etl_clock_base *base, uint64_t ticks)
{
	return (int64_t)(etl_clock_ns(ticks, base->frequency) - (uint64_t)base->base_ns);
}

#endif
