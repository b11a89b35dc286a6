/*
 * Writes a trace of any system as an ETL file, with the events that Windows has for each change:
 *
 *     process, thread   Process and Thread events; command lines are from the list of processes. There is no event for
 *                       exec: from its start a process has the name and command line of its last program
 *     code mapping      Image Load, with the base address of the file (convert/etl_addresses.h); the build id is written
 *                       as the id of a PDB (GUID and age)
 *     CPU sample        SampledProfile; before it the sampling interval in units of 100 ns, if it has changed
 *     memory event      VirtualAlloc and VirtualFree, see convert/etl_memory.h; none for PURGE
 *     stack             StackWalk, kernel and user frames in one event; stack copies are unwound
 *
 * Ticks are nanoseconds. A stack refers to its event by the tick, so an event with a stack has a unique tick: events at
 * the same time are delayed by some nanoseconds.
 */
#ifndef CONVERT_ETL_EXPORT_H
#define CONVERT_ETL_EXPORT_H

#include <stdint.h>

#include "convert/etl_writer.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct etl_export_options {
	const char *source;  /* file name of the converted trace */
	const char *product; /* name of the system that recorded it */
	int64_t base_ns;     /* time zero on the source's clock; 0: unknown */
	int64_t start_time;  /* FILETIME of time zero */
	uint32_t cpus;
	enum etl_compression compression;
};

/* Numbers of what was written, and of what could not be written exactly. */
struct etl_export_counts {
	uint64_t processes, threads, images, samples, stacks, commits, frees;
	uint64_t purges;          /* not written */
	uint64_t picked;          /* stacks of sampled memory events, whose weight is lost */
	uint64_t truncated;       /* truncated stacks, which ETL cannot mark as such */
	uint64_t cut_commands;    /* truncated command lines */
	uint64_t rounded_weights; /* samples whose weight is no multiple of 100 ns */
};

struct etl_export;

/* `machine` is borrowed. Its list of processes is complete. It must process each event before etl_export_event(). */
struct etl_export *etl_export_new(struct machine *machine, const struct etl_export_options *options,
				  const struct etl_sink *sink);
void etl_export_free(struct etl_export *export);

void etl_export_event(struct etl_export *export, const struct trace_event *event);

/* Complete the file; `lost` is the number of lost events. */
void etl_export_finish(struct etl_export *export, uint64_t lost);

const struct etl_export_counts *etl_export_counts(const struct etl_export *export);

#endif
