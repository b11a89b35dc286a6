/*
 * Counts lost events in a perf.data file, also while perf still writes it. The events themselves are read by src/trace.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux.
 */
#ifndef PROFILER_PERF_DATA_H
#define PROFILER_PERF_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct perf_data_walk {
	int64_t offset; /* of the next record; 0 before the header was read */
	int64_t records;
	int64_t lost;                       /* lost events: the greater of the two sums below */
	int64_t lost_records, lost_samples; /* sums by record type; both count the same events */
	int damaged;                        /* the walk stopped at an invalid record */
	bool started;    /* a record from the kernel was seen: not only perf's synthetic ones */
	bool compressed; /* there are compressed records, whose contents are not read */
};

/* Read all complete records after those of the last call. */
void perf_data_walk(FILE *file, struct perf_data_walk *walk);

/* Events lost so far; -1: unknown. */
int64_t perf_data_lost(const struct perf_data_walk *walk);

#endif
