/*
 * Counting lost events in a perf.data file, also while perf still writes it. Nothing else is read here:
 * the trace reader is another room.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux.
 */
#ifndef RECORDER_PERF_DATA_H
#define RECORDER_PERF_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct perf_data_walk {
	int64_t offset; /* of the next record; 0 before the header was seen */
	int64_t records;
	int64_t lost; /* events, of PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES */
	int64_t lost_records, lost_samples; /* by kind of record; they tell of the same events */
	int damaged;                        /* a record that can't be: the walk has stopped there */
	bool started;                       /* something of what the kernel recorded was there */
	bool compressed; /* some of it, so that what it has lost is not seen here */
};

/* Go on from where the last call stopped, through all records that are whole by now. */
void perf_data_walk(FILE *file, struct perf_data_walk *walk);

/* Events lost as far as the walk has come; -1: it can't tell. */
int64_t perf_data_lost(const struct perf_data_walk *walk);

#endif
