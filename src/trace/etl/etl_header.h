/*
 * What an ETL file tells of its session: the first event of its first buffer.
 *
 * Format: TRACE_LOGFILE_HEADER, see Geoff Chappell and evntrace.h.
 */
#ifndef TRACE_ETL_HEADER_H
#define TRACE_ETL_HEADER_H

#include <stdint.h>

#include "trace/etl/etl_record.h"
#include "util/err.h"

enum etl_clock {
	ETL_CLOCK_UNSPECIFIED,
	ETL_CLOCK_QPC,
	ETL_CLOCK_SYSTEM, /* FILETIMEs */
	ETL_CLOCK_CYCLES,
};

struct etl_header {
	uint32_t buffer_size;
	uint8_t os_major, os_minor;
	uint32_t build;
	uint32_t cpus;
	uint32_t pointer_size; /* of who made the session; an event has its own */
	uint32_t mode;         /* LogFileMode */
	uint32_t buffers_written;
	uint32_t events_lost, buffers_lost;
	uint32_t cpu_mhz;
	/* FILETIME, UTC; 0: not told (an end: it was never closed). */
	int64_t start_time, end_time, boot_time;
	int32_t timezone_bias; /* minutes; UTC = local + bias */
	uint64_t frequency;    /* ticks a second, by the clock; never 0 */
	uint64_t first_tick;   /* of the header event: that of start_time */
	enum etl_clock clock;
	char *session_name, *file_name; /* UTF-8; "" where there is none */
};

/* ERR_CORRUPT where it is no header event, or its clock can't be. */
int etl_header_read(struct etl_header *header, const struct etl_record *record, struct err *err);
void etl_header_release(struct etl_header *header);

#endif
