/*
 * Heap snapshots in a trace: when each was taken, and how large it is. What is in them is documented nowhere.
 *
 * Format: manifest of Microsoft-Windows-Heap-Snapshot, version 1 of both events, as repnz/etw-providers-docs and
 * airbus-cert/etl-parser have it: 100 is a part of a snapshot, with instance, sequence, length and bytes; 200 ends it, with
 * instance and total length. A process numbers its snapshots by instance. Parts of one instance and pid are of one snapshot
 * if one process wrote them: pids are reused.
 */
#ifndef TRACE_ETL_SNAPSHOTS_H
#define TRACE_ETL_SNAPSHOTS_H

#include <stdbool.h>

#include "model/trace_facts.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_record.h"
#include "trace/etl/etl_spans.h"

struct etl_snapshots;

struct etl_snapshots *etl_snapshots_new(void);
void etl_snapshots_free(struct etl_snapshots *snapshots); /* accepts NULL */

/*
 * Add an event of ETL_HEAP_SNAPSHOT, in any order; those of other ids or versions are ignored. False: it lacks fields, or
 * there are too many.
 */
bool etl_snapshots_add(struct etl_snapshots *snapshots, const struct etl_record *record);

/* Call it once, after the last event, with the lifetimes of all processes: it puts the parts together. */
void etl_snapshots_make(struct etl_snapshots *snapshots, const struct etl_spans *processes);

/* Append them, without times; set their times. */
void etl_snapshots_report(const struct etl_snapshots *snapshots, struct trace_facts *facts);
void etl_snapshots_set_times(const struct etl_snapshots *snapshots,
			     const struct etl_clock_base *base, struct trace_facts *facts);

#endif
