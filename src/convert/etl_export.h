/*
 * A trace of any system as an ETL file: what its machine goes through, event by event, told by the events that Windows
 * has for it.
 *
 *     process, thread   Process and Thread events; command lines of the list of processes. A program that a process runs
 *                       instead of its own has none: the process has the last one's name from its start
 *     mapping of code   Image Load; its base is that of the file's first byte, its id that of a PDB (GUID and age)
 *     CPU sample        SampledProfile, and the interval it stands for where that changes, in units of 100 ns
 *     memory event      VirtualAlloc and VirtualFree, see convert/etl_memory.h; PURGE: none
 *     stack             StackWalk, kernel and process together; of a copy what it was unwound to
 *
 * Ticks are nanoseconds. Events with a stack have a tick of their own, so that it is known whose it is: one that
 * comes at the time of another is told up to some nanoseconds later.
 */
#ifndef CONVERT_ETL_EXPORT_H
#define CONVERT_ETL_EXPORT_H

#include <stdint.h>

#include "convert/etl_writer.h"
#include "model/machine.h"
#include "model/trace_event.h"

struct etl_export_options {
	const char *source;  /* file name of what is converted */
	const char *product; /* what system it is of */
	int64_t base_ns;     /* time zero on the source's clock; 0: not known */
	int64_t start_time;  /* FILETIME of time zero */
	uint32_t cpus;
	enum etl_packing packing;
};

/* What was told, and what could not be. */
struct etl_export_counts {
	uint64_t processes, threads, images, samples, stacks, commits, frees;
	uint64_t purges;          /* left out */
	uint64_t picked;          /* stacks of memory events that stand for many: told as of one */
	uint64_t truncated;       /* stacks that stop short, without a sign of it */
	uint64_t cut_commands;    /* command lines longer than an event */
	uint64_t rounded_weights; /* samples whose weight is no multiple of 100 ns */
};

struct etl_export;

/* `machine` is borrowed: its list of processes is complete, and it has taken each event before it is given. */
struct etl_export *etl_export_new(struct machine *machine, const struct etl_export_options *options,
				  const struct etl_sink *sink);
void etl_export_free(struct etl_export *export);

void etl_export_event(struct etl_export *export, const struct trace_event *event);

/* The end of the file; `lost` events were lost. */
void etl_export_finish(struct etl_export *export, uint64_t lost);

const struct etl_export_counts *etl_export_counts(const struct etl_export *export);

#endif
