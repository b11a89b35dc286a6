/*
 * Time: the monotonic clock for measurements, the wall clock for dates.
 */
#ifndef PLATFORM_CLOCK_H
#define PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

/* "CLOCK_MONOTONIC" or "QPC": the clock that clock_now() reads. */
extern const char *const clock_name;

/* Nanoseconds of the monotonic clock. Traces and process events use the same clock. */
int64_t clock_now(void);

/* Nanoseconds since 1970 UTC. */
int64_t clock_wall(void);

void clock_sleep(int64_t ns);

/* A time of the wall clock as year, month, day and so on, in UTC. */
struct tm clock_utc(int64_t wall_ns);

#define CLOCK_UTC_SIZE 32

/* "2026-01-31T12:00:00.123Z", or "20260131T120000Z" for file names. */
void clock_format_utc(int64_t wall_ns, char text[CLOCK_UTC_SIZE]);
void clock_format_utc_name(int64_t wall_ns, char text[CLOCK_UTC_SIZE]);

#endif
