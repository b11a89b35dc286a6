/*
 * perf.data, as `perf record` of Linux 3.7 and later writes it: to a file or into a pipe, compressed or not.
 *
 * Read: processes, threads, mappings, CPU samples (cpu-clock, task-clock, cycles) and the system calls of the memory
 * accounting, with call chains and stack copies. Not read, but counted: samples of other events. Ignored: hardware traces
 * (AUXTRACE), branches, counters, cgroups, BPF. Refused: big-endian files, directories of `perf record --threads`.
 *
 * Memory holds a window of the file, in blocks, and a queue of records to be sorted: see perf_walk.h and perf_limits.
 */
#ifndef TRACE_PERF_READER_H
#define TRACE_PERF_READER_H

#include "trace/perf/perf_walk.h"
#include "trace/trace_format.h"
#include "trace/trace_input.h"

extern const struct trace_format perf_format;

struct perf_reader;

/* For tests: open any input, with any limits. The reader owns the input, also after a failure. `path` is for messages. */
int perf_reader_open(struct trace_input *input, const char *path,
		     const struct trace_options *options, const struct perf_limits *limits,
		     struct trace_facts *facts, struct perf_reader **reader, struct err *err);
int perf_reader_next(struct perf_reader *reader, const struct trace_event **events, size_t *nr,
		     struct err *err);
void perf_reader_free(struct perf_reader *reader);

#endif
