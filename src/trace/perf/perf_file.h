/*
 * A perf.data file but for its records: header, events, features; the same from a recording that went
 * through a pipe, where these are records.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef TRACE_PERF_FILE_H
#define TRACE_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_build_ids.h"
#include "trace/perf/perf_events.h"
#include "trace/perf/perf_tracing.h"
#include "trace/trace_input.h"
#include "trace/trace_reader.h"
#include "util/printf_like.h"

/* Of a file: a place in it has room beside it in a queue's entry (perf_walk.h). */
#define PERF_SIZE_MAX (UINT64_C(1) << 47)

struct perf_file {
	const struct trace_input *input; /* borrowed */
	bool pipe;
	bool is_part;  /* of `perf record --threads`: other files have records too */
	uint64_t size; /* of the file */
	uint64_t data_start, data_end; /* its records */
	struct perf_events events;
	struct perf_tracing tracing;
	struct perf_build_ids build_ids;
	struct trace_facts facts; /* without counts; strings are set once and stay */
};

/* What can't be: counted, and the first one told. `place` is an offset in the file. */
void perf_file_damage(struct perf_file *file, uint64_t place, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* What can't be and ends the reading: where the records go on is not known. `from`: the first byte not read. */
void perf_file_stop(struct perf_file *file, uint64_t place, uint64_t from, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/*
 * Read the header; ERR_UNSUPPORTED for other byte orders and versions, ERR_CORRUPT where nothing can be read.
 * `path` is for messages. Released in either case.
 */
int perf_file_open(struct perf_file *file, const struct trace_input *input, const char *path,
		   struct err *err);
void perf_file_release(struct perf_file *file);

/* A HEADER_ATTR record's attr and ids. */
void perf_file_add_attr(struct perf_file *file, const unsigned char *attr, size_t nr,
			uint64_t place);

/* The data of a feature. Those that are not read are left out. */
void perf_file_feature(struct perf_file *file, unsigned feature, const unsigned char *data,
		       size_t nr, uint64_t place);

/* "CLOCK_MONOTONIC"; NULL. */
const char *perf_clock_name(int32_t clock);

/* Give all events names, from what is known of them by now. */
void perf_file_name_events(struct perf_file *file);

#endif
