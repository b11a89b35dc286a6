/*
 * What each event of a perf.data file is used for: CPU time, memory, or only counted.
 */
#ifndef TRACE_PERF_USES_H
#define TRACE_PERF_USES_H

#include "trace/perf/linux_memory.h"
#include "trace/perf/perf_file.h"
#include "trace/trace_format.h"

/* Upper limit of a valid sampling period, in nanoseconds or cycles. */
#define PERF_WEIGHT_MAX INT64_C(1000000000000)

/*
 * Set `use` of all events, and the facts on CPU time and memory, committed and touched. One kind of event measures CPU
 * time: cpu-clock, else task-clock, else cycles. Returns the accounting of memory, which the caller frees; NULL: impossible
 * or not requested.
 */
struct linux_memory *perf_uses_choose(struct perf_file *file, const struct trace_options *want);

/* The CPU time that a sample stands for; -1: its period is out of range. */
int64_t perf_uses_weight(const struct perf_event *event, const struct perf_sample *sample);

#endif
