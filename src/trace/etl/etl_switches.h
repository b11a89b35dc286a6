/*
 * Who ran when, from context switches and wake-ups: for each run of a thread on a processor since when the thread ran, had
 * been ready and had been blocked.
 *
 * A switch names the thread that ran on its processor until then, and the one that runs from then on. Switches may be
 * missing: the thread that ran until then is not the one that was switched to, a thread is on two processors at once, or a
 * buffer says that some were lost before it. The time between is a gap then. Of each processor all counts from its first
 * kernel event to its last one: the file of a flight recorder has different processors from different times on.
 */
#ifndef TRACE_ETL_SWITCHES_H
#define TRACE_ETL_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_file.h"
#include "trace/etl/etl_record.h"

/* Times are ticks, blocked <= ready <= from <= to: see struct trace_run. */
struct etl_run {
	uint64_t blocked, ready, from, to;
	uint64_t at;       /* when it became known */
	uint32_t cpu, tid; /* a gap has no thread: 0 */
	bool switched, gap;
};

struct etl_switches;

/* The files, whose buffers may say that events were lost before them, are borrowed. */
struct etl_switches *etl_switches_new(struct etl_file *const *files, size_t nr);
void etl_switches_free(struct etl_switches *switches);

/* Take the next record, by time; those of other kinds are ignored. */
void etl_switches_take(struct etl_switches *switches, const struct etl_record *record);

/* No records follow: what runs now ran until the last event of its processor. Call it once. */
void etl_switches_end(struct etl_switches *switches);

/* The next run, by `at`; NULL: none yet. Remove it with etl_switches_drop(). */
const struct etl_run *etl_switches_peek(const struct etl_switches *switches);
void etl_switches_drop(struct etl_switches *switches);

#endif
